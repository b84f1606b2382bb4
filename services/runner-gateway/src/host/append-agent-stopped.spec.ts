import { idFromUuid } from '@attache/contracts';
import { setAgentStatus } from '@attache/database';
import { expect, it } from 'vitest';
import { openScene, readAgent } from '../__fixtures__/open-scene.ts';
import { appendAgentStopped } from './append-agent-stopped.ts';

it('says that the subprocess of an agent is gone, and marks the agent so', async () => {
  const scene = await openScene();
  const { deps, session, tenantId, agentId } = scene;
  await deps.db.asTenant(tenantId, (tx) => setAgentStatus(tx, agentId, 'busy'));
  const data = { agentId: idFromUuid('agent', agentId), reason: 'idle' } as const;
  await appendAgentStopped(deps, session, data, { keepsContext: true });
  expect(await readAgent(scene)).toMatchObject({ status: 'stopped' });
  expect(await scene.readEvents()).toMatchObject([{ kind: 'agent.stopped', data }]);
});
