import { uuidFromId } from '@attache/contracts';
import { and, eq, isNull, type SQL, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { agent, quarantine } from '../schema.ts';
import type { QuarantinedPart } from './quarantine-reader.ts';

/** The owner of the parts. For another version of its target they do not count. */
export type QuarantineOwner = { tenantId: string; sessionId: string; agentId: string; targetVersion: number };

/**
 * Keeps parts that the model of an agent refused; one that is kept already stays as it is. False: the agent is gone or has another target by
 * now, and nothing was kept.
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
    return { ...owner, ...part, attachmentId: attachmentId === undefined ? null : uuidFromId(attachmentId) };
  });
  await tx.insert(quarantine).values(rows).onConflictDoNothing();
  return true;
}

/** A part that counts no more, and for whom: uuids. */
export type EndedQuarantine = { agentId: string; attachmentId: string | null };

/** Lets an attachment be sent again to all agents of a session. */
export async function endQuarantines(
  tx: Tx,
  { sessionId, attachmentId }: { sessionId: string; attachmentId: string },
): Promise<EndedQuarantine[]> {
  return endWhere(tx, sql`${eq(quarantine.sessionId, sessionId)} and ${eq(quarantine.attachmentId, attachmentId)}`);
}

/** Ends all that was taken out for one agent: it has another target. */
export async function endQuarantinesOfAgent(tx: Tx, agentId: string): Promise<EndedQuarantine[]> {
  return endWhere(tx, eq(quarantine.agentId, agentId));
}

async function endWhere(tx: Tx, condition: SQL): Promise<EndedQuarantine[]> {
  const { agentId, attachmentId } = quarantine;
  const ended = await tx.delete(quarantine).where(condition).returning({ agentId, attachmentId });
  // The model may have refused several forms of one attachment, such as the pages of a document.
  return [...new Map(ended.map((each) => [`${each.agentId} ${each.attachmentId}`, each])).values()];
}
