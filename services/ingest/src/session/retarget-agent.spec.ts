import { createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { bringTo, openFixture, readRow } from '../__fixtures__/open-fixture.ts';
import { retargetAgent } from './retarget-agent.ts';

const target = { profile: 'words' };

it('plans again what waits for the agent, as a new attempt, and leaves what is under way', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, takePublished, readEvents } = fixture;
  const written = await createDelivery(deps.db, fixture);
  await bringTo(fixture, written.deliveryId, 'written');
  const waiting = await createDelivery(deps.db, fixture);
  takePublished();
  const { agent, plans } = await retargetAgent(deps, caller, { sessionId, agentId, target });
  expect(agent.target).toMatchObject({ profile: 'words', model: 'example-text' });
  expect(plans).toMatchObject([{ decision: 'deliver' }]);
  expect(await readRow(fixture, waiting.deliveryId)).toMatchObject({
    status: 'prepared',
    attempts: 2,
    targetVersion: 2,
    parts: [{ type: 'text', text: 'hello' }],
  });
  expect(await readRow(fixture, written.deliveryId)).toMatchObject({ status: 'written', attempts: 1 });
  expect(takePublished()).toEqual(['delivery.prepared']);
  expect((await readEvents()).slice(-2)).toMatchObject([
    { kind: 'agent.target_changed', data: { to: agent.target } },
    { kind: 'delivery.prepared', data: { attempt: 2 } },
  ]);
});

it('refuses a target that nobody offers, and changes nothing', async () => {
  const { deps, caller, sessionId, agentId, readEvents } = await openFixture();
  const asked = retargetAgent(deps, caller, { sessionId, agentId, target: { profile: 'nobody' } });
  await expect(asked).rejects.toMatchObject({ code: 'TARGET_UNKNOWN' });
  expect(await readEvents()).toEqual([]);
});

it('knows no agent of another session', async () => {
  const { deps, caller, sessionId } = await openFixture();
  const { agentId } = await openFixture();
  const asked = retargetAgent(deps, caller, { sessionId, agentId, target });
  await expect(asked).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
});
