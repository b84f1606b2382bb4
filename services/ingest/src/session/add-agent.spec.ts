import { endSession as markEnded } from '@attache/database';
import { expect, it } from 'vitest';
import { callerOf, openFixture } from '../__fixtures__/open-fixture.ts';
import { addAgent } from './add-agent.ts';

const request = { name: 'second', role: 'member' as const, target: { profile: 'example' } };

it('adds an agent and says so in the log', async () => {
  const { deps, caller, sessionId, keep, kept, readEvents } = await openFixture();
  const agent = await addAgent(deps, caller, sessionId, request, keep);
  expect(agent).toMatchObject({ name: 'second', target: { profile: 'example', model: 'example-vision' } });
  expect(kept).toEqual([{ agent }]);
  expect((await readEvents()).at(-1)).toMatchObject({ kind: 'agent.added', data: { agentId: agent.id } });
});

it('refuses a name that the session has already, and keeps nothing', async () => {
  const { deps, caller, sessionId, keep, readEvents } = await openFixture();
  await addAgent(deps, caller, sessionId, request, keep);
  const before = await readEvents();
  const again = addAgent(deps, caller, sessionId, request, keep);
  await expect(again).rejects.toMatchObject({ code: 'AGENT_NAME_TAKEN' });
  expect(await readEvents()).toEqual(before);
});

it('refuses a session that has ended, and knows none of another tenant', async () => {
  const { deps, caller, tenantId, sessionId, keep } = await openFixture();
  const elsewhere = await openFixture();
  const foreign = addAgent(deps, callerOf(elsewhere.tenantId), sessionId, request, keep);
  await expect(foreign).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  await deps.db.asTenant(tenantId, (tx) => markEnded(tx, sessionId));
  await expect(addAgent(deps, caller, sessionId, request, keep)).rejects.toMatchObject({ code: 'SESSION_ENDED' });
});
