import type { Contradiction } from '@attache/contracts';
import type { FindingCounts } from '@attache/domain';
import { and, eq, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { catalogContradiction, wireFinding } from '../schema.ts';

/** The subject of a contradiction. */
export type ContradictedKind = Pick<Contradiction, 'row' | 'kind' | 'programVersion'>;

/** Reads the contradictions for the transaction's tenant: findings of its turns, and statements of the operator for all. */
export const readContradictions = (tx: Tx): Promise<Contradiction[]> =>
  runStatement(tx, sql`select attache_contradictions()`);

/** Lists the contradictions that hold for all tenants. */
export function listContradictionsForAll(db: Database): Promise<Contradiction[]> {
  return db.asWorker(async (tx) => {
    const rows = await tx
      .select()
      .from(catalogContradiction)
      .orderBy(catalogContradiction.row, catalogContradiction.kind, catalogContradiction.createdAt);
    return rows.map((row) => describeRow(row, true));
  });
}

/** Shows a stored row. */
export function describeRow(
  { row, kind, programVersion, note, createdAt }: ContradictedKind & { note: string; createdAt: Date },
  isForAll: boolean,
): Contradiction {
  return { row, kind, programVersion, note, date: createdAt.toISOString().slice(0, 10), isForAll };
}

/** How much the tenant's turns showed. */
export async function countFindings(tx: Tx, { row, kind, programVersion }: ContradictedKind): Promise<FindingCounts> {
  const counts = await tx
    .select({
      turns: sql<number>`count(*)::int`,
      sessions: sql<number>`count(distinct ${wireFinding.sessionId})::int`,
      droppedTurns: sql<number>`(count(*) filter (where ${wireFinding.finding} = 'dropped'))::int`,
    })
    .from(wireFinding)
    .where(and(eq(wireFinding.row, row), eq(wireFinding.kind, kind), eq(wireFinding.programVersion, programVersion)));
  return counts[0] ?? { turns: 0, sessions: 0, droppedTurns: 0 };
}
