import { type EventData, uuidFromId } from '@attache/contracts';
import { appendEvents, dismissAgent, emptyContext, setAgentStatus } from '@attache/database';
import type { SessionKey, SessionOwnership } from '../ownership/session-ownership.ts';

/** Records that an agent's subprocess is gone, or that none will come again. */
export async function appendAgentStopped(
  deps: { ownership: SessionOwnership },
  session: SessionKey,
  data: EventData<'agent.stopped'>,
  /** A conversation that the next process continues with still counts. */
  { keepsContext }: { keepsContext: boolean },
): Promise<void> {
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  await deps.ownership.asOwner(session, async (tx) => {
    await setAgentStatus(tx, uuidFromId(data.agentId), 'stopped');
    await dismissAgent(tx, uuidFromId(data.agentId));
    if (!keepsContext) await emptyContext(tx, uuidFromId(data.agentId));
    await appendEvents(tx, session.sessionId, [{ kind: 'agent.stopped', actor, data }]);
  });
}
