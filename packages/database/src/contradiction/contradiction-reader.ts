import type { Contradiction } from '@attache/contracts';
import type { FindingCounts } from '@attache/domain';
import { and, eq, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';
import { catalogContradiction, wireFinding } from '../schema.ts';

/** The subject of a contradiction. */
export type ContradictedKind = Pick<Contradiction, 'row' | 'kind' | 'programVersion' | 'settingsSha256'>;

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
  { row, kind, programVersion, settingsSha256, note, createdAt }: ContradictedKind & { note: string; createdAt: Date },
  isForAll: boolean,
): Contradiction {
  const settings = settingsSha256 ? { settingsSha256 } : {};
  return { row, kind, programVersion, ...settings, note, date: createdAt.toISOString().slice(0, 10), isForAll };
}

/** How much the tenant's turns showed. */
export async function countFindings(
  tx: Tx,
  { row, kind, programVersion, settingsSha256 = '' }: ContradictedKind,
): Promise<FindingCounts> {
  const { row: rowName, kind: ofKind, programVersion: version, settingsSha256: settings } = wireFinding;
  const counts = await tx
    .select({
      turns: sql<number>`count(*)::int`,
      sessions: sql<number>`count(distinct ${wireFinding.sessionId})::int`,
      droppedTurns: sql<number>`(count(*) filter (where ${wireFinding.finding} = 'dropped'))::int`,
    })
    .from(wireFinding)
    .where(and(eq(rowName, row), eq(ofKind, kind), eq(version, programVersion), eq(settings, settingsSha256)));
  return counts[0] ?? { turns: 0, sessions: 0, droppedTurns: 0 };
}
