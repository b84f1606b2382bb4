import { type Actor, idFromUuid } from '@attache/contracts';
import {
  appendAsCaller,
  type EndedQuarantine,
  endQuarantines,
  findAttachment,
  findSession,
  type NewEvent,
} from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { attachmentNotFound, sessionNotFound } from '../not-found.ts';

/**
 * Lets a file that models refused be sent to them again, by all agents of a session; conversations that it was taken out of have it again with the next
 * turn. Nothing happens if it is not in quarantine.
 */
export async function endQuarantine(
  { db }: Pick<IngestDeps, 'db'>,
  { tenantId, actor }: Caller,
  { sessionId, attachmentId }: { sessionId: string; attachmentId: string },
): Promise<void> {
  await db.asTenant(tenantId, async (tx) => {
    if (!(await findSession(tx, sessionId))) throw sessionNotFound();
    if ((await findAttachment(tx, attachmentId))?.sessionId !== sessionId) throw attachmentNotFound();
    const ended = await endQuarantines(tx, { sessionId, attachmentId });
    if (ended.length > 0) await appendAsCaller(tx, sessionId, composeEndedEvents(actor, ended));
  });
}

/** The events of the session log for files that may be sent again. Parts that were no attachments are not named. */
export function composeEndedEvents(actor: Actor, ended: readonly EndedQuarantine[]): NewEvent[] {
  return ended.flatMap(({ agentId, attachmentId }): NewEvent[] => {
    if (attachmentId === null) return [];
    const data = { attachmentId: idFromUuid('attachment', attachmentId), agentId: idFromUuid('agent', agentId) };
    return [{ kind: 'attachment.quarantine_ended', actor, data }];
  });
}
