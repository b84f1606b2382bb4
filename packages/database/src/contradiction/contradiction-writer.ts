import type { AuditActor, Contradiction } from '@attache/contracts';
import type { Finding } from '@attache/domain';
import { and, eq, sql } from 'drizzle-orm';
import type { Database, Tx } from '../database.ts';
import { capabilityContradiction, catalogContradiction, wireFinding } from '../schema.ts';
import { type ContradictedKind, describeRow } from './contradiction-reader.ts';

/** The turn that showed something: uuids. */
export type FindingTurn = Pick<ContradictedKind, 'row' | 'programVersion' | 'settingsSha256'> & {
  tenantId: string;
  sessionId: string;
  deliveryId: string;
};

/**
 * Keeps what a turn showed; of a kind that is kept already for this delivery nothing changes. Until the end of the transaction nobody else
 * keeps findings of the tenant, so that who counts them then counts all.
 */
export async function saveFindings(tx: Tx, turn: FindingTurn, findings: readonly Finding[]): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`wire_finding ${turn.tenantId}`}, 0))`);
  const rows = findings.map((finding) => ({ ...turn, ...finding }));
  await tx.insert(wireFinding).values(rows).onConflictDoNothing();
}

/** Keeps that a row does not hold for the tenant. False: it was known. */
export async function insertContradiction(
  tx: Tx,
  contradiction: ContradictedKind & { tenantId: string; note: string },
): Promise<boolean> {
  const inserted = await tx
    .insert(capabilityContradiction)
    .values(contradiction)
    .onConflictDoNothing()
    .returning({ row: capabilityContradiction.row });
  return inserted.length > 0;
}

/** Lets a row hold again for the transaction's tenant, and forgets what its turns showed. */
export async function deleteContradictions(
  tx: Tx,
  { row, kind }: Pick<ContradictedKind, 'row' | 'kind'>,
): Promise<{ restored: Contradiction[]; forgottenCount: number }> {
  const [known, finding] = [capabilityContradiction, wireFinding];
  const restored = await tx
    .delete(known)
    .where(and(eq(known.row, row), eq(known.kind, kind)))
    .returning();
  const forgotten = await tx
    .delete(finding)
    .where(and(eq(finding.row, row), eq(finding.kind, kind)))
    .returning({ deliveryId: finding.deliveryId });
  return { restored: restored.map((each) => describeRow(each, false)), forgottenCount: forgotten.length };
}

/** Stores the operator's statement for all tenants, in place of an earlier one about the same version. */
export function saveContradictionForAll(
  db: Database,
  contradiction: ContradictedKind & { note: string },
): Promise<Contradiction> {
  const { row, kind, programVersion } = catalogContradiction;
  return db.asWorker(async (tx) => {
    const [saved] = await tx
      .insert(catalogContradiction)
      .values(contradiction)
      .onConflictDoUpdate({
        target: [row, kind, programVersion],
        set: { note: contradiction.note, createdAt: sql`now()` },
      })
      .returning();
    if (!saved) throw new Error('a contradiction is not there after it was saved');
    return describeRow(saved, true);
  });
}

/** Takes the operator's word back, of whichever version. */
export function deleteContradictionsForAll(
  db: Database,
  { row, kind }: Pick<ContradictedKind, 'row' | 'kind'>,
): Promise<Contradiction[]> {
  return db.asWorker(async (tx) => {
    const deleted = await tx
      .delete(catalogContradiction)
      .where(and(eq(catalogContradiction.row, row), eq(catalogContradiction.kind, kind)))
      .returning();
    return deleted.map((each) => describeRow(each, true));
  });
}

/** A contradiction of another version of the program, which has ended. */
export type EndedContradiction = Pick<Contradiction, 'kind' | 'programVersion' | 'isForAll'>;

/** A program runs in this version: ends findings and statements about other versions of it, for the tenant and for all. One round trip. */
export function endContradictions(
  db: Database,
  running: Pick<FindingTurn, 'tenantId' | 'row' | 'programVersion'> & { actor: AuditActor },
): Promise<EndedContradiction[]> {
  return db.call(sql`select attache_end_contradictions(${JSON.stringify(running)}::jsonb)`);
}
