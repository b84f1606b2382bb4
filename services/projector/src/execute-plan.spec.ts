import { findDelivery } from '@attache/database';
import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { messageOf, openScene, type Scene } from './__fixtures__/open-scene.ts';
import { executePlan } from './execute-plan.ts';

const readDelivery = ({ deps, tenantId }: Scene, deliveryId: string) =>
  deps.db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));

async function queue(scene: Scene) {
  const { tenantId, sessionId } = scene;
  const { deliveryId } = await createDelivery(scene.deps.db, scene);
  scene.takePublished();
  return { deliveryId, message: messageOf('delivery.queued', { tenantId, sessionId, deliveryId }) };
}

it('makes the parts of a delivery and tells its gateway', async () => {
  const scene = await openScene();
  const { deliveryId, message } = await queue(scene);
  await executePlan(scene.deps, message);
  const parts = [{ type: 'text', text: 'hello' }];
  expect(await readDelivery(scene, deliveryId)).toMatchObject({ status: 'prepared', parts });
  expect(scene.takePublished()).toEqual(['delivery.prepared']);
  expect((await scene.readEvents()).at(-1)).toMatchObject({ kind: 'delivery.prepared', data: { attempt: 1 } });
});

it('does it once, however often the message comes [W8]', async () => {
  const scene = await openScene();
  const { message } = await queue(scene);
  await executePlan(scene.deps, message);
  const before = await scene.readEvents();
  scene.takePublished();
  await executePlan(scene.deps, message);
  expect([await scene.readEvents(), scene.takePublished()]).toEqual([before, []]);
});

it('leaves a delivery of another tenant as it is', async () => {
  const [scene, other] = [await openScene(), await openScene()];
  const { deliveryId, message } = await queue(scene);
  await executePlan(scene.deps, { ...message, data: { ...message.data, tenantId: other.tenantId } });
  expect(await readDelivery(scene, deliveryId)).toMatchObject({ status: 'queued' });
});

it('fails a delivery whose text was erased, and says that nothing is to be brought', async () => {
  const scene = await openScene();
  const { deliveryId, message } = await queue(scene);
  await scene.deps.db.asTenant(scene.tenantId, (tx) => tx.execute('delete from message_text'));
  await executePlan(scene.deps, message);
  const failure = { code: 'attachment_missing', retryable: false };
  expect(await readDelivery(scene, deliveryId)).toMatchObject({ status: 'failed', failure });
  expect(scene.takePublished()).toEqual(['delivery.stopped']);
  expect((await scene.readEvents()).at(-1)).toMatchObject({ kind: 'delivery.failed', data: { failure } });
});
