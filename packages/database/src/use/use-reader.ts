import { sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database, Tx } from '../database.ts';

/** The counts for requests that left for a model. Cached input is part of the input. */
export type UseCounts = {
  requests: number;
  /** The requests for which no provider returned counts. */
  uncountedRequests: number;
  inputTokens: number;
  cachedInputTokens: number;
  outputTokens: number;
};

/** A tenant's tokens, input and output together. `tokensPerDay` is null if there is no limit. `day` is `YYYY-MM-DD` in UTC. */
export type DayTokens = { day: string; tokensPerDay: number | null; usedTokens: number };

/** Reads a tenant's use on this day, and its limit. One round trip. */
export async function readDayTokens(db: Database, tenantId: string, day: string): Promise<DayTokens> {
  return db.call(sql`select attache_read_day_tokens(${tenantId}::uuid, ${day}::date)`, { tenantId });
}

/** Days from the first to the last, and a page of the rows after the key `after`. */
export type UseQuery<K> = { from: string; to: string; after: K | undefined; limit: number };

export type DayUse = UseCounts & { day: string };
export type SessionUse = UseCounts & { sessionId: string };
export type NamedModel = { provider: string; model: string };
export type ModelUseSum = UseCounts & NamedModel;

const sums = sql`'requests', sum(requests), 'uncountedRequests', sum(uncounted_requests), 'inputTokens', sum(input_tokens),
  'cachedInputTokens', sum(cached_input_tokens), 'outputTokens', sum(output_tokens)`;

/** Lists the tenant's use by day, the earliest first. */
export async function listUseByDay(tx: Tx, { from, to, after, limit }: UseQuery<string>): Promise<DayUse[]> {
  return runStatement(
    tx,
    sql`select coalesce(jsonb_agg(found), '[]'::jsonb) from (
      select jsonb_build_object('day', day, ${sums}) as found from day_use
        where day between ${from}::date and ${to}::date and (${after ?? null}::date is null or day > ${after ?? null}::date)
        group by day order by day limit ${limit}::int) page`,
  );
}

/** The same by session, in the order of their uuids. */
export async function listUseBySession(tx: Tx, { from, to, after, limit }: UseQuery<string>): Promise<SessionUse[]> {
  return runStatement(
    tx,
    sql`select coalesce(jsonb_agg(found), '[]'::jsonb) from (
      select jsonb_build_object('sessionId', session_id, ${sums}) as found from model_use
        where day between ${from}::date and ${to}::date and (${after ?? null}::uuid is null or session_id > ${after ?? null}::uuid)
        group by session_id order by session_id limit ${limit}::int) page`,
  );
}

/** The same by model, in the order of provider and name. */
export async function listUseByModel(tx: Tx, { from, to, after, limit }: UseQuery<NamedModel>): Promise<ModelUseSum[]> {
  const { provider = null, model = null } = after ?? {};
  return runStatement(
    tx,
    sql`select coalesce(jsonb_agg(found), '[]'::jsonb) from (
      select jsonb_build_object('provider', provider, 'model', model, ${sums}) as found from model_use
        where day between ${from}::date and ${to}::date
          and (${provider}::text is null or (provider collate "C", model collate "C") > (${provider}::text, ${model}::text))
        group by provider, model order by provider collate "C", model collate "C" limit ${limit}::int) page`,
  );
}
