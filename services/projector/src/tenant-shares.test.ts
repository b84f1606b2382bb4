import type { Settlement } from '@attache/event-bus';
import { expect, it } from 'vitest';
import { createTenantShares } from './tenant-shares.ts';

const ack: Settlement = { as: 'ack' };
let count = 0;
const messageOf = (tenantId: string) => {
  count += 1;
  return { id: String(count), tenantId };
};

it('puts off what is more than a share of one tenant, and takes what others have [BX-27]', async () => {
  const shares = createTenantShares(2);
  const work = Promise.withResolvers<Settlement>();
  const running = [1, 2].map(() => shares.run(messageOf('a'), () => work.promise));
  const never = () => Promise.reject(new Error('not to be called'));
  expect(await shares.run(messageOf('a'), never)).toMatchObject({ as: 'later' });
  expect(await shares.run(messageOf('a'), never)).toMatchObject({ as: 'later' });
  expect(await shares.run(messageOf('b'), async () => ack)).toEqual(ack);
  work.resolve(ack);
  expect(await Promise.all(running)).toEqual([ack, ack]);
  expect(await shares.run(messageOf('a'), async () => ack)).toEqual(ack);
});

it('puts off by five seconds at most, not all by the same time', async () => {
  const shares = createTenantShares(1);
  const work = Promise.withResolvers<Settlement>();
  const running = shares.run(messageOf('a'), () => work.promise);
  const delays: number[] = [];
  for (let round = 0; round < 8_000; round += 1) {
    const settled = await shares.run(messageOf('a'), () => work.promise);
    delays.push(settled.as === 'later' ? (settled.delayMs ?? 0) : Number.NaN);
  }
  const last = delays.slice(-1_000);
  expect({ isLong: Math.max(...last) > 4_500, isSoon: Math.min(...last) < 500 }).toEqual({
    isLong: true,
    isSoon: true,
  });
  expect(Math.max(...delays)).toBeLessThanOrEqual(5_020);
  work.resolve(ack);
  await running;
});

const settle = () => new Promise((resolve) => setImmediate(resolve));

/** Messages of one tenant through a bus and workers with a clock of their own, one millisecond a round. */
async function simulate({ messages, workers, jobMs }: { messages: number; workers: number; jobMs: number }) {
  let nowMs = 0;
  let calls = 0;
  const shares = createTenantShares(12, () => nowMs);
  const bus = Array.from({ length: messages }, () => ({ message: messageOf('a'), atMs: 0 }));
  const waiting: (() => void)[] = [];
  const busy: { untilMs: number; end(): void }[] = [];
  const handle = async ({ message }: (typeof bus)[number]) => {
    calls += 1;
    const settled = await shares.run(message, () => new Promise((resolve) => waiting.push(() => resolve(ack))));
    if (settled.as === 'later') bus.push({ message, atMs: nowMs + (settled.delayMs ?? 0) });
  };
  while (bus.length + waiting.length + busy.length > 0) {
    for (const job of busy.filter(({ untilMs }) => untilMs <= nowMs)) {
      busy.splice(busy.indexOf(job), 1);
      job.end();
    }
    await settle();
    const due = bus.filter(({ atMs }) => atMs <= nowMs);
    bus.splice(0, bus.length, ...bus.filter(({ atMs }) => atMs > nowMs));
    for (const each of due) void handle(each);
    await settle();
    while (busy.length < workers && waiting.length > 0)
      busy.push({ untilMs: nowMs + jobMs, end: waiting.shift() ?? (() => {}) });
    nowMs += 1;
  }
  return { nowMs, calls };
}

it.each([
  [2, 300],
  [10, 300],
  [200, 100],
])('keeps the workers of a tenant that is alone busy with jobs of %i ms', async (jobMs, messages) => {
  const workers = 2;
  const { nowMs, calls } = await simulate({ messages, workers, jobMs });
  expect(nowMs).toBeLessThan((1.15 * messages * jobMs) / workers + 100);
  // Nor is the queue read over and over.
  expect(calls).toBeLessThan(messages * 12);
});
