import { idFromUuid, isFault } from '@attache/contracts';
import {
  type AgentRow,
  appendEvents,
  describeAgent,
  type NewEvent,
  type QuarantinedPart,
  saveQuarantined,
} from '@attache/database';
import type { OwningDeps } from '../gateway-deps.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import type { AgentQuarantine } from './agent-quarantine.ts';

/**
 * Records what the model of an agent refused, with an event for each attachment. What cannot be recorded now stays out of what the program sends
 * as long as its process runs, and is recorded after the next turn.
 */
export async function keepQuarantined(
  deps: Pick<OwningDeps, 'ownership' | 'log'>,
  { session, agent }: { session: SessionKey; agent: AgentRow },
  quarantine: Pick<AgentQuarantine, 'listUnkept' | 'noteKept'>,
): Promise<void> {
  const parts = quarantine.listUnkept();
  if (parts.length === 0) return;
  const owner = { ...session, agentId: agent.id, targetVersion: agent.targetVersion };
  const events = composeEvents(agent, parts);
  try {
    await deps.ownership.asOwner(session, async (tx) => {
      if ((await saveQuarantined(tx, owner, parts)) && events.length > 0)
        await appendEvents(tx, session.sessionId, events);
    });
  } catch (error) {
    if (isFault(error, 'OWNERSHIP_LOST')) throw error;
    deps.log.warn({ err: error, agentId: idFromUuid('agent', agent.id) }, 'quarantine.not_recorded');
    return;
  }
  quarantine.noteKept(parts);
  const agentId = idFromUuid('agent', agent.id);
  for (const { attachmentId, code, isGroup } of parts)
    deps.log.info({ agentId, attachmentId, code, isGroup }, 'attachment.quarantined');
}

function composeEvents(agent: AgentRow, parts: readonly QuarantinedPart[]): NewEvent[] {
  const { id: agentId, target } = describeAgent(agent);
  const actor = { type: 'service', id: 'runner-gateway' } as const;
  return parts.flatMap(({ attachmentId, wireSha256, code, isGroup }): NewEvent[] => {
    if (attachmentId === undefined) return [];
    const data = { attachmentId, agentId, target, code, wireSha256, ...(isGroup ? { group: true as const } : {}) };
    return [{ kind: 'attachment.quarantined', actor, data }];
  });
}
