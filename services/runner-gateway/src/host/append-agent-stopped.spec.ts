import { idFromUuid } from '@attache/contracts';
import { setAgentStatus } from '@attache/database';
import { expect, it } from 'vitest';
import { openFixture, readAgent } from '../__fixtures__/open-fixture.ts';
import { appendAgentStopped } from './append-agent-stopped.ts';

it('says that the subprocess of an agent is gone, and marks the agent so', async () => {
  const fixture = await openFixture();
  const { deps, session, tenantId, agentId } = fixture;
  await deps.db.asTenant(tenantId, (tx) => setAgentStatus(tx, agentId, 'busy'));
  const data = { agentId: idFromUuid('agent', agentId), reason: 'idle' } as const;
  await appendAgentStopped(deps, session, data, { keepsContext: true });
  expect(await readAgent(fixture)).toMatchObject({ status: 'stopped' });
  expect(await fixture.readEvents()).toMatchObject([{ kind: 'agent.stopped', data }]);
});
