import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createWakeLoop } from './wake-loop.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A loop whose rounds end one by one, on request. */
function startControlled(options: { pollMs?: number } = {}) {
  const endings: PromiseWithResolvers<boolean>[] = [];
  const errors: unknown[] = [];
  let running = 0;
  let mostAtOnce = 0;
  const loop = createWakeLoop();
  loop.start({
    ...options,
    async round() {
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      const ending = Promise.withResolvers<boolean>();
      endings.push(ending);
      return ending.promise.finally(() => {
        running -= 1;
      });
    },
    onError: (error) => errors.push(error),
  });
  const settle = () => vi.advanceTimersByTimeAsync(0);
  return {
    loop,
    errors,
    rounds: () => endings.length,
    mostAtOnce: () => mostAtOnce,
    async end(wantsMore = false) {
      endings.at(-1)?.resolve(wantsMore);
      await settle();
    },
    async fail(error: unknown) {
      endings.at(-1)?.reject(error);
      await settle();
    },
  };
}

describe('a wake loop', () => {
  it('runs a first round by itself, and then only when woken', async () => {
    const { loop, rounds, end } = startControlled();
    await end();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rounds()).toBe(1);
    loop.wake();
    expect(rounds()).toBe(2);
  });

  it('makes one more round for any number of wakes during a round, and never two at once', async () => {
    const { loop, rounds, end, mostAtOnce } = startControlled();
    loop.wake();
    loop.wake();
    loop.wake();
    expect(rounds()).toBe(1);
    await end();
    expect(rounds()).toBe(2);
    await end();
    expect(rounds()).toBe(2);
    expect(mostAtOnce()).toBe(1);
  });

  it('continues while a round asks for more', async () => {
    const { rounds, end } = startControlled();
    await end(true);
    await end(true);
    expect(rounds()).toBe(3);
    await end(false);
    expect(rounds()).toBe(3);
  });

  it('outlives a round that throws: the error is told, and the next wake counts', async () => {
    const { loop, rounds, fail, end, errors } = startControlled();
    const error = new Error('the database does not answer');
    await fail(error);
    expect(errors).toEqual([error]);
    expect(rounds()).toBe(1);
    loop.wake();
    expect(rounds()).toBe(2);
    // A wake during the round that fails is not forgotten either.
    loop.wake();
    await fail(error);
    expect(rounds()).toBe(3);
    await end();
  });

  it('polls, for the wake that was lost', async () => {
    const { rounds, end } = startControlled({ pollMs: 1000 });
    await end();
    await vi.advanceTimersByTimeAsync(999);
    expect(rounds()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(rounds()).toBe(2);
  });

  it('wakes after a delay', async () => {
    const { loop, rounds, end } = startControlled();
    await end();
    loop.wakeAfter(200);
    await vi.advanceTimersByTimeAsync(199);
    expect(rounds()).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(rounds()).toBe(2);
  });

  it('waits at a stop for the running round, and starts no other: no wake, poll, delay or timer is left', async () => {
    const { loop, rounds, end } = startControlled({ pollMs: 1000 });
    loop.wakeAfter(500);
    let isStopped = false;
    const stopped = loop.stop().then(() => {
      isStopped = true;
    });
    loop.wake();
    loop.wakeAfter(30_000);
    await vi.advanceTimersByTimeAsync(10);
    expect(isStopped).toBe(false);
    await end(true);
    await stopped;
    expect(vi.getTimerCount()).toBe(0);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rounds()).toBe(1);
  });
});
