import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { removeAgent } from './remove-agent.ts';

it('takes an agent out once and tells its gateway', async () => {
  const { deps, caller, sessionId, agentId, takePublished } = await openFixture();
  await removeAgent(deps, caller, sessionId, agentId);
  expect(takePublished()).toEqual(['agent.removed']);
  await expect(removeAgent(deps, caller, sessionId, agentId)).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
  expect(takePublished()).toEqual([]);
});

it('knows no agent and no session but those of the caller', async () => {
  const { deps, caller, sessionId } = await openFixture();
  const other = await openFixture();
  const ofOther = removeAgent(deps, caller, other.sessionId, other.agentId);
  await expect(ofOther).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  const unknown = removeAgent(deps, caller, sessionId, randomUUID());
  await expect(unknown).rejects.toMatchObject({ code: 'AGENT_NOT_FOUND' });
});
