import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { runStatement } from '../../src/connection/run-statement.ts';
import type { Database, Tx } from '../../src/database.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { createDelivery, createPlace, newMessage, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 0);
const NOTHING = { bytes: 0, pixels: 0, images: 0, pages: 0, imageBytes: 0 };
const STATUSES = ['queued', 'prepared', 'claimed', 'written', 'responded', 'failed', 'cancelled'] as const;

/** Times around the beginning of a context, to the millisecond. */
const momentMs = fc.constantFrom(-3_600_000, -1, 0, 1, 3_600_000);
const amount = fc.nat(1000);
const amounts = { bytes: amount, pixels: amount, images: amount, pages: amount, imageBytes: amount };
const held = fc.option(fc.record(amounts));
const state = fc.record({
  status: fc.constantFrom(...STATUSES),
  plan: fc.record({ budget: fc.record({ bytes: fc.record({ used: amount }), images: fc.record({ used: amount }) }) }),
  held,
  writingMs: fc.option(momentMs),
  left: fc.option(fc.record({ ...amounts, ms: momentMs })),
});
type State = typeof state extends fc.Arbitrary<infer Value> ? Value : never;

const add = fc.record({ kind: fc.constant('add' as const), state });
const change = fc.record({ kind: fc.constant('change' as const), which: fc.nat(), state });
const remove = fc.record({ kind: fc.constant('remove' as const), which: fc.nat() });
const forget = fc.record({ kind: fc.constant('forget' as const), ms: momentMs });
const step = fc.oneof(
  { weight: 4, arbitrary: add },
  { weight: 6, arbitrary: change },
  { weight: 1, arbitrary: remove },
  { weight: 2, arbitrary: forget },
);
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

/** A place whose agent has deliveries, one of them ordinary. `ids` are of the others. */
type Stage = { db: Database; place: Place; messageId: string; ids: string[] };

const BEGUN = Date.UTC(2026, 5, 1);
const at = (ms: number) => new Date(BEGUN + ms).toISOString();

/** The columns that decide what counts. */
const columnsOf = ({ status, plan, held: measured, writingMs, left }: State) => {
  const { ms = 0, ...rest } = left ?? {};
  const leftBefore = left ? JSON.stringify({ ...rest, at: at(ms) }) : null;
  return sql`${status}, ${JSON.stringify(plan)}::jsonb, ${measured && JSON.stringify(measured)}::jsonb,
    ${writingMs === null ? null : at(writingMs)}::timestamptz, ${leftBefore}::jsonb`;
};

async function take(stage: Stage, given: Step): Promise<void> {
  const { tenantId, agentId } = stage.place;
  await stage.db.asTenant(tenantId, async (tx) => {
    const index = 'which' in given ? given.which % Math.max(1, stage.ids.length) : 0;
    const id = stage.ids[index] ?? null;
    if (given.kind === 'add') await addDelivery(tx, stage, given.state);
    else if (given.kind === 'forget')
      await tx.execute(sql`update agent set context_since = ${at(given.ms)}::timestamptz where id = ${agentId}`);
    else if (given.kind === 'remove') await tx.execute(sql`delete from delivery where id = ${id}::uuid`);
    else
      await tx.execute(
        sql`update delivery set (status, plan, held, writing_at, left_before) = row(${columnsOf(given.state)}) where id = ${id}::uuid`,
      );
    if (given.kind === 'remove') stage.ids.splice(index, 1);
  });
}

async function addDelivery(tx: Tx, { place, messageId, ids }: Stage, given: State): Promise<void> {
  const id = randomUUID();
  ids.push(id);
  await tx.execute(sql`insert into delivery
    (tenant_id, session_id, message_id, agent_id, message_seq, trace_id, id, status, plan, held, writing_at, left_before)
    values (${place.tenantId}::uuid, ${place.sessionId}::uuid, ${messageId}::uuid, ${place.agentId}::uuid, ${ids.length}::int, '', ${id}::uuid,
      ${columnsOf(given)})`);
}

async function openStage(db: Database): Promise<Stage> {
  const place = await createPlace(db);
  const { messageId } = await createDelivery(db, place);
  return { db, place, messageId, ids: [] };
}

/** Reads the stored sum, and the sum computed from the agent's whole history. */
async function readBoth({ db, place: { tenantId, agentId } }: Stage): Promise<{ kept: unknown; summed: unknown }> {
  const { kept, summed } = await db.asTenant(tenantId, (tx) =>
    runStatement<{ kept: Record<string, unknown>; summed: unknown }>(
      tx,
      sql`select jsonb_build_object('kept', attache_resident(array[${agentId}::uuid]), 'summed', (
        select jsonb_object_agg(b.name, b.total) from (
          select n.name, coalesce(sum(case when d.status in ('queued', 'prepared', 'claimed', 'written')
                or d.status in ('responded', 'failed') and d.writing_at >= a.context_since
              then coalesce(d.held->n.name, d.plan->'budget'->n.name->'used')::numeric end), 0)
            + coalesce(sum((d.left_before->n.name)::numeric) filter (where (d.left_before->>'at')::timestamptz >= a.context_since), 0) as total
          from unnest(array['bytes', 'pixels', 'images', 'pages', 'imageBytes']) as n(name)
            cross join agent a left join delivery d on d.tenant_id = a.tenant_id and d.agent_id = a.id
          where a.id = ${agentId}::uuid group by n.name) b))`,
    ),
  );
  return { kept: kept[agentId] ?? NOTHING, summed };
}

/** The content that an agent holds is stored as a sum, and equals the sum of its history. */
export function describeResidentSums({ useDb }: DatabaseSuite): void {
  it('is what the history comes to, after any sequence of changes [BX-01 BX-27]', async () => {
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
      const stage = await openStage(useDb());
      for (const given of steps) {
        await take(stage, given);
        const { kept, summed } = await readBoth(stage);
        expect(kept).toEqual(summed);
      }
    });
    await fc.assert(property, { seed, numRuns: 15 });
  });

  it('is so where many change its deliveries at once while its agent starts again [BX-01]', async () => {
    const stage = await openStage(useDb());
    for (const given of fc.sample(add, { seed, numRuns: 12 })) await take(stage, given);
    const changes = fc.sample(fc.oneof({ weight: 5, arbitrary: change }, { weight: 1, arbitrary: forget }), {
      seed,
      numRuns: 120,
    });
    await Promise.all(changes.map((given) => take(stage, given)));
    const { kept, summed } = await readBoth(stage);
    expect(kept).toEqual(summed);
  });

  it('lets messages to one agent be accepted that come at once [BX-27]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const accepted = await Promise.all(Array.from({ length: 12 }, () => acceptMessage(db, newMessage(place))));
    expect(accepted.map(({ outcome }) => outcome)).toEqual(Array(12).fill('accepted'));
  });
}
