import type { Settlement } from '@attache/event-bus';
import { expect, it } from 'vitest';
import { createTenantShares } from './tenant-shares.ts';

const ack: Settlement = { as: 'ack' };

it('puts off what is more than a share of one tenant, and takes what others have [BX-27]', async () => {
  const shares = createTenantShares(2);
  const work = Promise.withResolvers<Settlement>();
  const running = [1, 2].map(() => shares.run('a', () => work.promise));
  const never = () => Promise.reject(new Error('not to be called'));
  expect(await shares.run('a', never)).toEqual({ as: 'later', delayMs: 100 });
  expect(await shares.run('a', never)).toEqual({ as: 'later', delayMs: 200 });
  expect(await shares.run('b', async () => ack)).toEqual(ack);
  work.resolve(ack);
  expect(await Promise.all(running)).toEqual([ack, ack]);
  expect(await shares.run('a', async () => ack)).toEqual(ack);
});

it('puts off by five seconds at most', async () => {
  const shares = createTenantShares(1);
  const work = Promise.withResolvers<Settlement>();
  const running = shares.run('a', () => work.promise);
  const delays: unknown[] = [];
  for (let round = 0; round < 60; round += 1) delays.push(await shares.run('a', () => work.promise));
  expect(delays[48]).toEqual({ as: 'later', delayMs: 4_900 });
  expect(delays.slice(49)).toEqual(Array.from({ length: 11 }, () => ({ as: 'later', delayMs: 5_000 })));
  work.resolve(ack);
  await running;
});

it('gives the place of work that fails back', async () => {
  const shares = createTenantShares(1);
  await expect(shares.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await shares.run('a', async () => ack)).toEqual(ack);
});
