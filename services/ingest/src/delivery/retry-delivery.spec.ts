import type { Failure } from '@attache/contracts';
import { createDelivery, takeFact } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { openScene, readRow, type Scene } from '../__fixtures__/open-scene.ts';
import { retargetAgent } from '../session/retarget-agent.ts';
import { retryDelivery } from './retry-delivery.ts';

async function failWith(scene: Scene, retryable: boolean): Promise<string> {
  const { deps, takePublished } = scene;
  const { deliveryId } = await createDelivery(deps.db, scene);
  const failure: Failure = {
    ...{ code: 'delivery_runtime_transport_failed', severity: 'error' },
    ...{ userMessage: 'It failed.', diagnostic: 'planted', retryable },
  };
  const row = await readRow(scene, deliveryId);
  await takeFact(deps.db, row, { kind: 'plan-failed', failure });
  takePublished();
  return deliveryId;
}

it('tries a failed delivery again with its plan, and says so in the log [DL-42]', async () => {
  const scene = await openScene();
  const { deps, caller, keep, kept, readEvents, takePublished } = scene;
  const deliveryId = await failWith(scene, true);
  const delivery = await retryDelivery(deps, caller, deliveryId, keep);
  expect(delivery).toMatchObject({ status: 'prepared', attempts: 2 });
  expect(delivery.failure).toBeUndefined();
  expect(delivery.timeline.slice(-2)).toMatchObject([
    { status: 'queued', attempt: 2, actor: caller.actor },
    { status: 'prepared', attempt: 2, actor: { type: 'service', id: 'ingest' } },
  ]);
  expect(kept).toEqual([{ delivery }]);
  expect(takePublished()).toEqual(['delivery.prepared']);
  const data = { deliveryId: delivery.id, attempt: 2 };
  expect((await readEvents()).slice(-2)).toMatchObject([
    { kind: 'delivery.queued', actor: caller.actor, data },
    { kind: 'delivery.prepared', actor: { type: 'service', id: 'ingest' }, data },
  ]);
  expect((await readRow(scene, deliveryId)).parts).toEqual([{ type: 'text', text: 'hello' }]);
});

it('refuses what trying again does not mend, what has not failed, and what was planned for another target', async () => {
  const scene = await openScene();
  const { deps, caller, sessionId, agentId, keep, kept } = scene;
  const lost = await failWith(scene, false);
  const { deliveryId: queued } = await createDelivery(deps.db, scene);
  const planned = await failWith(scene, true);
  await retargetAgent(deps, caller, { sessionId, agentId, target: { profile: 'words' } });
  for (const id of [lost, queued, planned])
    await expect(retryDelivery(deps, caller, id, keep)).rejects.toMatchObject({ code: 'NOT_RETRYABLE' });
  expect(kept).toEqual([]);
  expect(await readRow(scene, planned)).toMatchObject({ status: 'failed', attempts: 1 });
});
