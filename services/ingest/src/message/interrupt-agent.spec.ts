import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { bringTo, openScene, readRow } from '../__fixtures__/open-scene.ts';
import { interruptAgent } from './interrupt-agent.ts';

it('ends the turn that an agent is in, and leaves what waits for it', async () => {
  const scene = await openScene();
  const { deps, caller, sessionId, agentId, takePublished } = scene;
  const running = await createDelivery(deps.db, scene);
  await bringTo(scene, running.deliveryId, 'written');
  const waiting = await createDelivery(deps.db, scene);
  takePublished();
  await interruptAgent(deps, caller, sessionId, agentId);
  expect(takePublished()).toEqual(['delivery.interrupted']);
  expect(await readRow(scene, waiting.deliveryId)).toMatchObject({ status: 'queued' });
});

it('cancels what was taken for the turn and not written', async () => {
  const scene = await openScene();
  const { deps, caller, sessionId, agentId, readEvents } = scene;
  const { deliveryId } = await createDelivery(deps.db, scene);
  await bringTo(scene, deliveryId, 'claimed');
  await interruptAgent(deps, caller, sessionId, agentId);
  expect(await readRow(scene, deliveryId)).toMatchObject({ status: 'cancelled' });
  expect((await readEvents()).at(-1)).toMatchObject({ kind: 'delivery.cancelled' });
});

it('does nothing where there is no turn, and knows no agent of another session', async () => {
  const { deps, caller, sessionId, agentId, readEvents, takePublished } = await openScene();
  await interruptAgent(deps, caller, sessionId, agentId);
  expect([await readEvents(), takePublished()]).toEqual([[], []]);
  const other = await openScene();
  const asked = interruptAgent(deps, caller, sessionId, other.agentId);
  await expect(asked).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
});
