import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Tx } from '../database.ts';
import type { DayTokens, UseCounts } from './use-reader.ts';

/** An agent's use of a model on one day, as `YYYY-MM-DD` in UTC. Session and agent by uuid. */
export type ModelUse = UseCounts & {
  day: string;
  sessionId: string;
  agentId: string;
  provider: string;
  /** Well-formed text without a zero character. */
  model: string;
};

/**
 * Adds to what the tenant has used, and answers what it has used today. It is to run by `runDurably`, with `mark`: added twice it would
 * count twice.
 */
export async function addUse(
  tx: Tx,
  { uses, today }: { uses: readonly ModelUse[]; today: string },
  mark: (transactionId: string) => void,
): Promise<DayTokens> {
  const parameters = JSON.stringify({ uses, today });
  const added = await runStatement<{ transactionId: string; tokens: DayTokens }>(
    tx,
    sql`select attache_add_use(${parameters}::jsonb)`,
  );
  mark(added.transactionId);
  return added.tokens;
}
