import { expect, it } from 'vitest';
import { createRingQueue } from './ring-queue.ts';

type Ring = { tenantId: string; number: number };

function given(changes: Partial<Parameters<typeof createRingQueue>[0]> = {}) {
  const clock = { now: 0 };
  const queue = createRingQueue<Ring>({
    ...{ maxPerTenant: 4, maxRings: 100, maxAgeMs: 3_000, maxInWork: 100, now: () => clock.now, ...changes },
  });
  const fill = (tenantId: string, count: number) =>
    Array.from({ length: count }, (_, number) => queue.add({ tenantId, number })).filter(Boolean).length;
  return { queue, clock, fill };
}

it('takes rings from the tenants in turn, each in their order', () => {
  const { queue, fill } = given();
  fill('a', 3);
  fill('b', 2);
  const taken = Array.from({ length: 6 }, () => queue.next());
  expect(taken.map((ring) => ring && `${ring.tenantId}${ring.number}`)).toEqual([
    'a0',
    'b0',
    'a1',
    'b1',
    'a2',
    undefined,
  ]);
});

it('has no room for more than some of one tenant, of which 10,000 leave room for another one [BX-27]', () => {
  const { queue, fill } = given();
  expect(fill('a', 10_000)).toBe(4);
  expect(fill('b', 1)).toBe(1);
  expect([queue.next(), queue.next()].map((ring) => ring?.tenantId)).toEqual(['a', 'b']);
});

it('has no room for more than its size, whosever they are, until one was taken', () => {
  const { queue, fill } = given({ maxRings: 6 });
  expect(Array.from({ length: 10 }, (_, number) => fill(`tenant ${number}`, 1))).toEqual([
    1, 1, 1, 1, 1, 1, 0, 0, 0, 0,
  ]);
  queue.next();
  expect(fill('another', 1)).toBe(1);
});

it('gives up what waited so long that the relay brings it', () => {
  const { queue, clock, fill } = given();
  fill('a', 2);
  clock.now = 2_000;
  fill('b', 1);
  clock.now = 3_001;
  expect(queue.next()).toMatchObject({ tenantId: 'b' });
  expect([queue.next(), queue.hasNext()]).toEqual([undefined, false]);
});

it('leaves the rings of a tenant that has its share in work, and takes those of others meanwhile', () => {
  const { queue, fill } = given({ maxInWork: 2 });
  fill('a', 4);
  fill('b', 1);
  const taken = Array.from({ length: 4 }, () => queue.next());
  expect(taken.map((ring) => ring?.tenantId)).toEqual(['a', 'b', 'a', undefined]);
  expect(queue.hasNext()).toBe(false);
  queue.end({ tenantId: 'a', number: 0 });
  expect(queue.hasNext()).toBe(true);
  expect([queue.next(), queue.next()]).toEqual([{ tenantId: 'a', number: 2 }, undefined]);
});
