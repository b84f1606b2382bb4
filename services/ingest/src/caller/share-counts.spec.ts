import type { RequestCounts } from '@attache/contracts';
import type { SharedCounts } from '@attache/event-bus';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRequestLimiter, type RequestLimiter } from './request-limiter.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Carries the reports between processes, each a few milliseconds late. */
function openMedium(latencyMs: number) {
  const listeners: ((counts: RequestCounts) => void)[] = [];
  const sent: RequestCounts[] = [];
  let isConnected = true;
  const join = (): SharedCounts => {
    let own: ((counts: RequestCounts) => void) | undefined;
    return {
      isConnected: () => isConnected,
      send(counts) {
        if (!isConnected) return;
        sent.push(counts);
        for (const listener of listeners.filter((one) => one !== own)) setTimeout(() => listener(counts), latencyMs);
      },
      listen(onCounts) {
        own = onCounts;
        listeners.push(onCounts);
        return () => undefined;
      },
    };
  };
  const cut = () => {
    isConnected = false;
  };
  return { join, sent, cut };
}

const isAdmitted = (work: Promise<void>) =>
  work.then(
    () => true,
    () => false,
  );

type Process = { limiter: RequestLimiter; perTick: number };

const TICK_MS = 10;

/** How many requests of one key are admitted in ten seconds by processes that get so many each tick, evenly over it. */
async function send(processes: readonly Process[], key = 'key'): Promise<number> {
  let admitted = 0;
  for (let ms = 0; ms < 10_000; ms += 1) {
    const share = (perTick: number) =>
      Math.floor(((ms + 1) * perTick) / TICK_MS) - Math.floor((ms * perTick) / TICK_MS);
    for (const { limiter, perTick } of processes)
      for (let count = share(perTick); count > 0; count -= 1)
        if (await isAdmitted(limiter.countRequest('tenant', key))) admitted += 1;
    await vi.advanceTimersByTimeAsync(1);
  }
  return admitted;
}

const open = (count: number, perKeyPerSecond: number, medium: ReturnType<typeof openMedium>) => {
  const limits = { perKeyPerSecond, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 3 };
  return Array.from({ length: count }, () => createRequestLimiter(limits, medium.join()));
};

describe('processes of ingest that share their counts', () => {
  it('admit 0.9 to 1.2 times the limit together over ten seconds, however the requests are spread', async () => {
    const cases = fc.record({
      perSecond: fc.constantFrom(5, 20, 50, 200),
      spread: fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 2, maxLength: 4 }),
      latencyMs: fc.integer({ min: 1, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ perSecond, spread, latencyMs }) => {
        const medium = openMedium(latencyMs);
        const limiters = open(spread.length, perSecond, medium);
        // They know of each other, and the window of no key is open.
        await vi.advanceTimersByTimeAsync(100);
        const processes = limiters.map((limiter, index) => ({ limiter, perTick: spread[index] ?? 1 }));
        const admitted = await send(processes, `key-${Math.random()}`);
        expect(admitted / (perSecond * 10)).toBeGreaterThanOrEqual(0.9);
        expect(admitted / (perSecond * 10)).toBeLessThanOrEqual(1.2);
      }),
      isShort ? { numRuns: 1 } : { numRuns: 8, examples: [[{ perSecond: 5, spread: [3, 5, 5, 5], latencyMs: 5 }]] },
    );
  });

  it('tell of one key about once a second each', async () => {
    const medium = openMedium(1);
    const limiters = open(3, 100, medium);
    await vi.advanceTimersByTimeAsync(100);
    const before = medium.sent.length;
    await send(limiters.map((limiter) => ({ limiter, perTick: 4 })));
    const told = medium.sent.slice(before).filter(({ counts }) => counts.length > 0);
    expect(told.length).toBeLessThanOrEqual(3 * 11);
  });

  it('admit the limit together while they cannot hear each other', async () => {
    const medium = openMedium(1);
    const limiters = open(3, 30, medium);
    await vi.advanceTimersByTimeAsync(100);
    medium.cut();
    const admitted = await send(limiters.map((limiter) => ({ limiter, perTick: 2 })));
    expect(admitted).toBe(300);
  });

  it('count refused credentials together, too [S4]', async () => {
    const medium = openMedium(1);
    const [one, other] = open(2, 1, medium) as [RequestLimiter, RequestLimiter];
    await vi.advanceTimersByTimeAsync(100);
    for (const limiter of [one, other, one]) {
      await limiter.countFailure('credential', '1.2.3.4');
      await vi.advanceTimersByTimeAsync(1_100);
    }
    expect(await isAdmitted(other.checkAddress('1.2.3.4'))).toBe(false);
    expect(await isAdmitted(other.checkAddress('1.2.3.5'))).toBe(true);
  });

  it('carry nothing of a window that has ended into the next one', async () => {
    const medium = openMedium(1);
    const [one, other] = open(2, 1, medium) as [RequestLimiter, RequestLimiter];
    await vi.advanceTimersByTimeAsync(9_000);
    for (let count = 0; count < 10; count += 1) await isAdmitted(one.countRequest('tenant', 'key'));
    await vi.advanceTimersByTimeAsync(11_000);
    expect(await isAdmitted(other.countRequest('tenant', 'key'))).toBe(true);
    expect(await isAdmitted(one.countRequest('tenant', 'key'))).toBe(true);
  });
});
