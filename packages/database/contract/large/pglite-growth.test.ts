import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { heldNothing, requireDecision } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connectPglite } from '../../src/connect-pglite.ts';
import { runStatement } from '../../src/connection/run-statement.ts';
import * as api from '../../src/index.ts';
import { createAttachment, createPlace, newMessage, type Place } from '../__fixtures__/database-fixtures.ts';
import { copyPgliteFolder } from '../pglite-folder.contract.ts';

const HALF = 2_500;
/** The rows of every delivery that stay until its tenant prunes or removes them: the history that callers can read. */
const KEPT = [
  'access_grant',
  'delivery',
  'delivery_transition',
  'message',
  'message_attachment',
  'message_text',
  'session_log',
];

let folder: string;
let db: api.Database;

beforeAll(async () => {
  folder = await copyPgliteFolder();
  db = await connectPglite({ folder });
});
afterAll(async () => {
  await db?.close();
  await rm(folder, { recursive: true, force: true });
});

async function measureFolder(path: string): Promise<number> {
  const sizes = await Promise.all(
    (await readdir(path, { withFileTypes: true })).map(async (entry) =>
      entry.isDirectory() ? measureFolder(join(path, entry.name)) : (await stat(join(path, entry.name))).size,
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** Bytes of each table with its indexes. */
const measureTables = (): Promise<Record<string, number>> =>
  db.asWorker((tx) =>
    runStatement(
      tx,
      sql`select jsonb_object_agg(relname, pg_total_relation_size(oid)) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`,
    ),
  );

/** All statements from an upload and its message to the answer, and the messages of both settled. */
async function deliverOne(place: Place, attachmentId: string, fence: api.Fence): Promise<void> {
  const { tenantId, sessionId, agentId } = place;
  const key = { route: 'sendMessage', sessionId, key: randomUUID(), principal: 'key' };
  await api.openIdempotency(db, tenantId, key);
  const idempotency = { ...key, fingerprint: 'f', status: 202, sealedAnswer: 'answer'.repeat(50) };
  const message = { ...newMessage(place, [attachmentId]), idempotency };
  await api.acceptMessage(db, message);
  const deliveryId = message.deliveries[0]?.id ?? '';
  const take = async (fact: Parameters<typeof requireDecision>[1], conditions: api.Conditions) => {
    const row = await db.asTenant(tenantId, (tx) => api.findDelivery(tx, deliveryId));
    if (!row) throw new Error('the delivery is gone');
    expect(await api.applyDecision(db, requireDecision(api.stateOf(row), fact), conditions)).toBe(true);
    return row;
  };
  await take({ kind: 'parts-built', parts: [{ type: 'text', text: 'hello' }] }, { handledEventId: randomUUID() });
  await api.readNextDelivery(db, { tenantId, agentId });
  const claimed = await take({ kind: 'claimed', epoch: fence.epoch }, { fence });
  await api.markWriting(
    db,
    { ...claimed, status: 'claimed' },
    { attachmentIds: [attachmentId], targetVersion: 1, held: heldNothing },
    fence,
  );
  await take({ kind: 'written', epoch: fence.epoch }, { fence });
  await db.asTenant(tenantId, (tx) => api.setAgentStatus(tx, agentId, 'busy'));
  const receipt = { writtenAt: new Date().toISOString(), transport: 'acp/stdio', proof: 'request', items: [] };
  await take({ kind: 'responded', epoch: fence.epoch, receipt, diagnostic: undefined }, { fence });
  const claimedMessages = await api.claimMessages(db, {
    subjects: ['attachment.added', 'delivery.queued', 'delivery.prepared'],
    limit: 20,
    leaseMs: 60_000,
  });
  await api.settleDone(db, claimedMessages);
}

/** As upkeep does it, a day later. */
async function keepUp(tenantId: string): Promise<void> {
  await db.asTenant(tenantId, (tx) =>
    tx.execute(sql`update idempotency set expires_at = now() - interval '1 hour'`).then(),
  );
  while (!(await api.pruneOutbox(db, { olderThanMs: -1000, limit: 1_000 })).isDone);
  while ((await api.dropExpiredIdempotencyKeys(db, tenantId, 1_000)) > 0);
  await db.tidy();
}

it('a folder grows by the history of its deliveries and by nothing else [BX-27]', async () => {
  const place = await createPlace(db);
  const { attachmentId } = await createAttachment(db, place);
  const identity = { replicaId: 'gateway', incarnation: randomUUID() };
  const claim = await api.claimSession(db, { ...identity, ...place });
  const fence = { incarnation: identity.incarnation, epoch: claim?.epoch ?? 0 };
  const measures: { folder: number; tables: Record<string, number> }[] = [];
  for (let half = 0; half < 2; half += 1) {
    for (let index = 0; index < HALF; index += 1) {
      await deliverOne(place, attachmentId, fence);
      // As often as an hour of much use has deliveries.
      if (index % 500 === 499) await keepUp(place.tenantId);
    }
    measures.push({ folder: await measureFolder(folder), tables: await measureTables() });
  }
  const [first, second] = measures;
  const grown = Object.entries(second?.tables ?? {}).map(
    ([name, size]) => [name, size - (first?.tables[name] ?? 0)] as const,
  );
  process.stdout.write(
    `Bytes after ${HALF} and ${2 * HALF} deliveries: ${first?.folder}, ${second?.folder}; by table ${JSON.stringify(grown.filter(([, size]) => size !== 0))}\n`,
  );
  const others = grown.filter(([name]) => !KEPT.includes(name)).reduce((sum, [, size]) => sum + size, 0);
  const kept = grown.filter(([name]) => KEPT.includes(name)).reduce((sum, [, size]) => sum + size, 0);
  const LEEWAY = 1024 * 1024;
  expect(others).toBeLessThan(LEEWAY);
  expect((second?.folder ?? 0) - (first?.folder ?? 0)).toBeLessThan(kept + 2 * LEEWAY);
  expect(kept / HALF).toBeLessThan(16 * 1024);
}, 900_000);
