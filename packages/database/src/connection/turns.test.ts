import { expect, it } from 'vitest';
import { createTurns, type TurnOptions } from './turns.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Work of tenants that ends on request; `begun` is the order in which it began. */
function open(options: TurnOptions) {
  const turns = createTurns(options);
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const ask = (name: string, tenantId?: string) =>
    turns.run(tenantId, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const endOne = async () => {
    ends.shift()?.();
    await settle();
  };
  return { turns, begun, ask, endOne };
}

it('serves a tenant that came last before the second of one that came first [BX-27]', async () => {
  const { begun, ask, endOne } = open({ size: 1 });
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask(name, 'a');
  void ask('b1', 'b');
  void ask('none1');
  for (let ended = 0; ended < 6; ended += 1) await endOne();
  expect(begun).toEqual(['a1', 'a2', 'b1', 'none1', 'a3', 'a4']);
});

it('gives a free place to the tenant that holds the fewest', async () => {
  const { begun, ask, endOne } = open({ size: 3 });
  for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) void ask(name, 'a');
  for (const name of ['b1', 'b2']) void ask(name, 'b');
  for (let ended = 0; ended < 3; ended += 1) await endOne();
  expect(begun).toEqual(['a1', 'a2', 'a3', 'b1', 'a4', 'b2']);
});

it('lets the last comer of the tenant with most waiting give way to another tenant', async () => {
  const { ask } = open({ size: 1, maxWaiting: 3 });
  void ask('a1', 'a');
  const waiting = ['a2', 'a3', 'a4'].map((name) => ask(name, 'a').catch((error: unknown) => error));
  await expect(ask('a5', 'a')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  void ask('b1', 'b');
  expect(await waiting[2]).toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  // Now two of one and one of the other wait: neither has more than its part.
  await expect(ask('b2', 'b')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
});

it('refuses who waits too long, and who waits at the end, and keeps count', async () => {
  const { turns, begun, ask, endOne } = open({ size: 1, waitTimeoutMs: 5 });
  void ask('a1', 'a');
  await expect(ask('b1', 'b')).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retryable: true });
  const last = ask('b2', 'b');
  turns.refuseAll();
  await expect(last).rejects.toThrow('stopping');
  await endOne();
  void ask('c1', 'c');
  expect(begun).toEqual(['a1', 'c1']);
});

it('gives the place back when work fails', async () => {
  const { turns, ask, begun } = open({ size: 1 });
  await expect(turns.run('a', () => Promise.reject(new Error('work failed')))).rejects.toThrow('work failed');
  void ask('a1', 'a');
  expect(begun).toEqual(['a1']);
});
