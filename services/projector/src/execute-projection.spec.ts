import { randomUUID } from 'node:crypto';
import { type DeliveryPlan, idFromUuid, type PlanItem } from '@attache/contracts';
import { insertProjectionJob, readWaitingProjection } from '@attache/database';
import { expect, it } from 'vitest';
import { addFile, messageOf, openScene, type Scene } from './__fixtures__/open-scene.ts';
import { executeProjection } from './execute-projection.ts';
import { inspectAttachment } from './inspect-attachment.ts';

const planOf = ({ agentId }: Scene, items: PlanItem[]): DeliveryPlan => ({
  ...{ agentId: idFromUuid('agent', agentId), decision: 'deliver', items, failures: [], budget: {} },
});

async function request(scene: Scene, plan: DeliveryPlan) {
  const { deps, tenantId, sessionId } = scene;
  const jobId = randomUUID();
  await deps.db.asTenant(tenantId, (tx) => insertProjectionJob(tx, { tenantId, sessionId, id: jobId, plan }));
  scene.takePublished();
  return { jobId, message: messageOf('projection.requested', { tenantId, sessionId, jobId }) };
}

const readWaiting = ({ deps, tenantId }: Scene, jobId: string) => readWaitingProjection(deps.db, { tenantId, jobId });

it('makes what a plan needs and leaves it for whoever asked, once', async () => {
  const scene = await openScene();
  const { deps, tenantId, sessionId } = scene;
  const attachmentId = await addFile(scene, Buffer.from('a few words'), 'a.txt');
  await inspectAttachment(deps, messageOf('attachment.added', { tenantId, sessionId, attachmentId }));
  const checks = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' } as const;
  const item: PlanItem = {
    attachmentId: idFromUuid('attachment', attachmentId),
    becomes: 'native',
    checks,
    warnings: [],
  };
  const { jobId, message } = await request(scene, planOf(scene, [item]));
  expect(await readWaiting(scene, jobId)).toMatchObject({ plan: { items: [{ becomes: 'native' }] } });
  await executeProjection(deps, message);
  expect(await readWaiting(scene, jobId)).toBeUndefined();
  await executeProjection(deps, message);
  expect(await readWaiting(scene, jobId)).toBeUndefined();
});

it('leaves a job of another tenant as it is', async () => {
  const [scene, other] = [await openScene(), await openScene()];
  const { jobId, message } = await request(scene, planOf(scene, []));
  await executeProjection(scene.deps, { ...message, data: { ...message.data, tenantId: other.tenantId } });
  expect(await readWaiting(scene, jobId)).not.toBeUndefined();
});
