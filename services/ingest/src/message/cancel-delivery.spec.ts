import { randomUUID } from 'node:crypto';
import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { bringTo, callerOf, openFixture, readRow } from '../__fixtures__/open-fixture.ts';
import { cancelDelivery } from './cancel-delivery.ts';

it.each(['queued', 'prepared', 'claimed'] as const)(
  'ends a delivery that is %s, and tells its gateway',
  async (status) => {
    const fixture = await openFixture();
    const { deps, caller, readEvents, takePublished } = fixture;
    const { deliveryId } = await createDelivery(deps.db, fixture);
    if (status !== 'queued') await bringTo(fixture, deliveryId, status);
    takePublished();
    expect(await cancelDelivery(deps, caller, deliveryId)).toMatchObject({ status: 'cancelled' });
    expect(takePublished()).toEqual(['delivery.stopped']);
    expect((await readEvents()).at(-1)).toMatchObject({ kind: 'delivery.cancelled', actor: caller.actor });
  },
);

it('asks the turn to end of a delivery that is written, which its runtime then settles', async () => {
  const fixture = await openFixture();
  const { deps, caller, takePublished } = fixture;
  const { deliveryId } = await createDelivery(deps.db, fixture);
  await bringTo(fixture, deliveryId, 'written');
  expect(await cancelDelivery(deps, caller, deliveryId)).toMatchObject({ status: 'written' });
  expect(takePublished()).toEqual(['delivery.interrupted']);
  expect(await readRow(fixture, deliveryId)).toMatchObject({ status: 'written' });
});

it('is the same twice, and knows no delivery of another tenant', async () => {
  const fixture = await openFixture();
  const { deps, caller, takePublished } = fixture;
  const { deliveryId } = await createDelivery(deps.db, fixture);
  await cancelDelivery(deps, caller, deliveryId);
  takePublished();
  expect(await cancelDelivery(deps, caller, deliveryId)).toMatchObject({ status: 'cancelled' });
  expect(takePublished()).toEqual([]);
  for (const [foreign, id] of [
    [callerOf((await openFixture()).tenantId), deliveryId],
    [caller, randomUUID()],
  ] as const)
    await expect(cancelDelivery(deps, foreign, id)).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
});
