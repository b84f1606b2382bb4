import { expect, it } from 'vitest';
import { openFixture } from '../__fixtures__/open-fixture.ts';
import { createSession } from './create-session.ts';

const agentOf = (name: string) => ({ name, role: 'lead' as const, target: { profile: 'example' } });

it('makes a session with its agents in the order in which they were named, and keeps the answer', async () => {
  const { deps, caller, keep, kept } = await openFixture();
  const session = await createSession(deps, caller, { agents: [agentOf('one'), agentOf('two')] }, keep);
  expect(session.agents.map(({ name }) => name)).toEqual(['one', 'two']);
  expect(session).toMatchObject({ status: 'active', conversions: 'allow', replayPolicy: { originals: 'none' } });
  expect(kept).toEqual([{ session }]);
});

it('refuses two agents of one name', async () => {
  const { deps, caller, keep, kept } = await openFixture();
  const made = createSession(deps, caller, { agents: [agentOf('one'), agentOf('one')] }, keep);
  await expect(made).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
  expect(kept).toEqual([]);
});

it('refuses a target that nobody offers', async () => {
  const { deps, caller, keep } = await openFixture();
  const agent = { ...agentOf('one'), target: { profile: 'nobody' } };
  await expect(createSession(deps, caller, { agents: [agent] }, keep)).rejects.toMatchObject({
    code: 'TARGET_UNKNOWN',
  });
});
