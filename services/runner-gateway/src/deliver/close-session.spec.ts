import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { claimJourney, openScene, prepareJourney } from '../__fixtures__/open-scene.ts';
import { closeAgent, closeSession } from './close-session.ts';
import { recordMove } from './record-delivery.ts';

const lanes = { close: async () => undefined };

it('cancels what was not written, leaves what was, and cleans up after the agents', async () => {
  const scene = await openScene();
  const { deps, session, agentId, host } = scene;
  const written = await claimJourney(scene);
  await recordMove(deps, written, 'written');
  const { deliveryId: queued } = await createDelivery(deps.db, scene);
  const prepared = await prepareJourney(scene);
  await closeSession(deps, lanes, session);
  expect(await scene.readRow(written.row.id)).toMatchObject({ status: 'written' });
  for (const id of [queued, prepared.row.id]) expect(await scene.readRow(id)).toMatchObject({ status: 'cancelled' });
  expect(host).toEqual({ stopped: [agentId, agentId], cleaned: [agentId] });
});

it('says of an agent that was removed and did not run that it has stopped', async () => {
  const scene = await openScene();
  await closeAgent(scene.deps, lanes, scene.session, scene.agentId);
  expect(await scene.readEvents()).toMatchObject([{ kind: 'agent.stopped', data: { reason: 'removed' } }]);
});
