import { randomUUID } from 'node:crypto';
import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { bringTo, callerOf, openScene, readRow } from '../__fixtures__/open-scene.ts';
import { cancelDelivery } from './cancel-delivery.ts';

it.each(['queued', 'prepared', 'claimed'] as const)(
  'ends a delivery that is %s, and tells its gateway',
  async (status) => {
    const scene = await openScene();
    const { deps, caller, readEvents, takePublished } = scene;
    const { deliveryId } = await createDelivery(deps.db, scene);
    if (status !== 'queued') await bringTo(scene, deliveryId, status);
    takePublished();
    expect(await cancelDelivery(deps, caller, deliveryId)).toMatchObject({ status: 'cancelled' });
    expect(takePublished()).toEqual(['delivery.stopped']);
    expect((await readEvents()).at(-1)).toMatchObject({ kind: 'delivery.cancelled', actor: caller.actor });
  },
);

it('asks the turn to end of a delivery that is written, which its runtime then settles', async () => {
  const scene = await openScene();
  const { deps, caller, takePublished } = scene;
  const { deliveryId } = await createDelivery(deps.db, scene);
  await bringTo(scene, deliveryId, 'written');
  expect(await cancelDelivery(deps, caller, deliveryId)).toMatchObject({ status: 'written' });
  expect(takePublished()).toEqual(['delivery.interrupted']);
  expect(await readRow(scene, deliveryId)).toMatchObject({ status: 'written' });
});

it('is the same twice, and knows no delivery of another tenant', async () => {
  const scene = await openScene();
  const { deps, caller, takePublished } = scene;
  const { deliveryId } = await createDelivery(deps.db, scene);
  await cancelDelivery(deps, caller, deliveryId);
  takePublished();
  expect(await cancelDelivery(deps, caller, deliveryId)).toMatchObject({ status: 'cancelled' });
  expect(takePublished()).toEqual([]);
  for (const [foreign, id] of [
    [callerOf((await openScene()).tenantId), deliveryId],
    [caller, randomUUID()],
  ] as const)
    await expect(cancelDelivery(deps, foreign, id)).rejects.toMatchObject({ code: 'DELIVERY_NOT_FOUND' });
});
