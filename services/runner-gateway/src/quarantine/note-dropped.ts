import { idFromUuid, isFault } from '@attache/contracts';
import { type AgentRow, appendEvents, type NewEvent } from '@attache/database';
import { listDropped } from '@attache/domain';
import type { OwningDeps } from '../gateway-deps.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { AgentQuarantine } from './agent-quarantine.ts';

/** Records which attachments the program of an agent has left out of its conversation by the end of a turn. */
export async function noteDropped(
  deps: Pick<OwningDeps, 'ownership' | 'log'>,
  { session, agent }: { session: SessionKey; agent: AgentRow },
  { drops }: Pick<AgentQuarantine, 'drops'>,
  { requests, earlier }: Pick<RunningTurn, 'requests' | 'earlier'>,
): Promise<void> {
  const seen = requests.flatMap(({ request }) => request ?? []);
  const dropped = drops.note(listDropped({ requests: seen, earlier }));
  if (dropped.length === 0) return;
  const agentId = idFromUuid('agent', agent.id);
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  const events = dropped.map(({ attachmentId }): NewEvent => {
    return { kind: 'attachment.set_aside', actor, data: { attachmentId, agentId, reason: 'left_out_by_program' } };
  });
  try {
    await deps.ownership.asOwner(session, (tx) => appendEvents(tx, session.sessionId, events));
  } catch (error) {
    if (isFault(error, 'OWNERSHIP_LOST')) throw error;
    deps.log.warn({ err: error, agentId }, 'attachment.left_out_not_recorded');
    return;
  }
  deps.log.info({ agentId, files: dropped.length }, 'attachment.left_out');
}
