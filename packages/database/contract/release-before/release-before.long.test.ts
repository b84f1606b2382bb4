import { randomUUID } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireDecision } from '@attache/domain';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { migrate } from 'drizzle-orm/pglite/migrator';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPglite } from '../../src/connect-pglite.ts';
import type { Database } from '../../src/database.ts';
import {
  describePresent,
  findDelivery,
  readDeliveriesOfSession,
  readNextDelivery,
} from '../../src/delivery/delivery-reader.ts';
import { stateOf } from '../../src/delivery/delivery-state.ts';
import { applyDecision } from '../../src/delivery/delivery-writer.ts';
import { migrationsFolder } from '../../src/migrate/migrations-folder.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { claimSession, readOrphanedSessions, takeReplica } from '../../src/session/owner/session-owner-writer.ts';
import { readTenant } from '../../src/tenancy/tenant-reader.ts';
import type { Place } from '../__fixtures__/database-fixtures.ts';

// Rows as the release before wrote them, with its own code and schema: of every table that holds content, and of a session whose owner is gone, in which one
// delivery is claimed and one prepared.
type Rows = {
  schema: number;
  place: Place;
  talk: Place;
  claimed: string;
  prepared: string;
  tables: Record<string, object[]>;
};

let folder: string;
let kept: Rows;
let db: Database;
/** How many rows there are after the migration, by table. */
let found: Record<string, number>;

/** A data folder of the release before, with its rows. */
async function openOldFolder(path: string): Promise<void> {
  const copy = join(folder, 'migrations');
  await mkdir(join(copy, 'meta'), { recursive: true });
  const journal = JSON.parse(await readFile(join(migrationsFolder, 'meta/_journal.json'), 'utf8'));
  const entries: { tag: string }[] = journal.entries.slice(0, kept.schema + 1);
  await writeFile(join(copy, 'meta/_journal.json'), JSON.stringify({ ...journal, entries }));
  for (const { tag } of entries) await cp(join(migrationsFolder, `${tag}.sql`), join(copy, `${tag}.sql`));
  const client = await PGlite.create(path);
  await migrate(drizzle({ client }), { migrationsFolder: copy });
  // The dump already contains everything that triggers would derive.
  await client.exec("set session_replication_role = 'replica'");
  for (const [table, rows] of Object.entries(kept.tables))
    await client.query(`insert into "${table}" select * from jsonb_populate_recordset(null::"${table}", $1::jsonb)`, [
      JSON.stringify(rows),
    ]);
  await client.close();
}

async function countRows(path: string): Promise<Record<string, number>> {
  const client = await PGlite.create(path);
  const counts: Record<string, number> = {};
  for (const table of Object.keys(kept.tables)) {
    const { rows } = await client.query<{ count: number }>(`select count(*)::int as count from "${table}"`);
    counts[table] = rows[0]?.count ?? 0;
  }
  await client.close();
  return counts;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-test-'));
  kept = JSON.parse(await readFile(new URL('./rows.json', import.meta.url), 'utf8'));
  await openOldFolder(join(folder, 'data'));
  const migrated = await connectPglite({ folder: join(folder, 'data') });
  await migrated.close();
  found = await countRows(join(folder, 'data'));
  db = await connectPglite({ folder: join(folder, 'data') });
});
afterAll(async () => {
  await db?.close();
  await rm(folder, { recursive: true, force: true });
});

it('rows of the release before are all there after the migration', async () => {
  const written = Object.fromEntries(Object.entries(kept.tables).map(([table, rows]) => [table, rows.length]));
  expect(found).toEqual(written);
  expect(await db.readAsTenant(kept.place.tenantId, readTenant)).toMatchObject({ status: 'active' });
});

it('the log and the deliveries that it left are read as it wrote them', async () => {
  const { talk, claimed, prepared } = kept;
  const events = await readEvents(db, { ...talk, afterSeq: 0, limit: 100 });
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const rows = await db.readAsTenant(talk.tenantId, (tx) =>
    readDeliveriesOfSession(tx, talk.sessionId, ['prepared', 'claimed']),
  );
  expect(rows.map(({ id, status }) => [id, status])).toEqual([
    [claimed, 'claimed'],
    [prepared, 'prepared'],
  ]);
  const shown = await db.readAsTenant(talk.tenantId, async (tx) => {
    const row = await findDelivery(tx, prepared);
    return row && describePresent(tx, row);
  });
  expect(shown).toMatchObject({ status: 'prepared', waitsFor: 'agent' });
});

it('a session that its gateway left is taken over, and continues [BX-16 DL-61]', async () => {
  const { talk, claimed, prepared } = kept;
  const gateway = { replicaId: 'gateway-2', incarnation: randomUUID() };
  await takeReplica(db, { ...gateway, leaseMs: 60_000 });
  const orphans = await readOrphanedSessions(db, { ...gateway, limit: 10 });
  expect(orphans).toEqual([{ tenantId: talk.tenantId, sessionId: talk.sessionId }]);
  const claim = await claimSession(db, { ...gateway, tenantId: talk.tenantId, sessionId: talk.sessionId });
  expect(claim).toMatchObject({ epoch: 2, isTakenOver: true });
  const fence = { incarnation: gateway.incarnation, epoch: 2 };
  const row = await db.readAsTenant(talk.tenantId, (tx) => findDelivery(tx, claimed));
  if (!row) throw new Error('the delivery is gone');
  // Nobody watched the delivery that it had begun: no byte of it was out.
  const decision = requireDecision(stateOf(row), { kind: 'owner-lost', isUnseen: row.forwarding === 'watched' });
  expect(decision.move.to).toBe('prepared');
  await applyDecision(db, decision, { fence });
  const next = await readNextDelivery(db, talk);
  expect(next).toMatchObject({ row: { id: claimed, status: 'prepared' }, sessionStatus: 'active' });
  expect(prepared).not.toBe(claimed);
});
