import { uuidFromId } from '@attache/contracts';
import { and, eq, isNotNull, isNull, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { agent, quarantine } from '../schema.ts';
import type { QuarantinedPart } from './quarantine-reader.ts';

/** The owner of the parts. For another version of its target they do not count. */
export type QuarantineOwner = { tenantId: string; sessionId: string; agentId: string; targetVersion: number };

/**
 * Keeps parts that the model of an agent refused, or that were set aside. One that was refused stays as it is; one that was set aside is set aside up to a later
 * place, or is refused now. False: the agent is gone or has another target by now, and nothing was kept.
 */
export async function saveQuarantined(
  tx: Tx,
  owner: QuarantineOwner,
  parts: readonly QuarantinedPart[],
): Promise<boolean> {
  const { agentId, targetVersion } = owner;
  const isSame = and(eq(agent.id, agentId), eq(agent.targetVersion, targetVersion), isNull(agent.removedAt));
  const [held] = await tx.select({ id: agent.id }).from(agent).where(isSame).for('share');
  if (held === undefined) return false;
  const rows = parts.map(({ attachmentId, ...part }) => {
    return {
      ...{ ...owner, occurrences: null, ...part },
      attachmentId: attachmentId === undefined ? null : uuidFromId(attachmentId),
    };
  });
  const { tenantId, agentId: ofAgent, wireSha256, occurrences } = quarantine;
  await tx
    .insert(quarantine)
    .values(rows)
    .onConflictDoUpdate({ target: [tenantId, ofAgent, wireSha256], set: latest, setWhere: isNotNull(occurrences) });
  return true;
}

const latest = {
  targetVersion: sql`excluded.target_version`,
  attachmentId: sql`excluded.attachment_id`,
  code: sql`excluded.code`,
  isGroup: sql`excluded.is_group`,
  occurrences: sql`excluded.occurrences`,
  createdAt: sql`excluded.created_at`,
};

/** A part that counts no more, and for whom: uuids. */
export type EndedQuarantine = { agentId: string; attachmentId: string | null };

/** Lets an attachment that models refused be sent again to all agents of a session. */
export async function endQuarantines(
  tx: Tx,
  { sessionId, attachmentId }: { sessionId: string; attachmentId: string },
): Promise<EndedQuarantine[]> {
  const { sessionId: ofSession, attachmentId: ofAttachment, occurrences } = quarantine;
  return endWhere(tx, and(eq(ofSession, sessionId), eq(ofAttachment, attachmentId), isNull(occurrences)));
}

/** Ends all that was taken out for one agent: it has another target. Returns what its model had refused. */
export async function endQuarantinesOfAgent(tx: Tx, agentId: string): Promise<EndedQuarantine[]> {
  return endWhere(tx, eq(quarantine.agentId, agentId));
}

async function endWhere(tx: Tx, condition: SQL | undefined): Promise<EndedQuarantine[]> {
  const { agentId, attachmentId, occurrences } = quarantine;
  const rows = await tx.delete(quarantine).where(condition).returning({ agentId, attachmentId, occurrences });
  const ended = rows.flatMap(({ occurrences: aside, ...each }) => (aside === null ? [each] : []));
  // The model may have refused several forms of one attachment, such as the pages of a document.
  return [...new Map(ended.map((each) => [`${each.agentId} ${each.attachmentId}`, each])).values()];
}
