import { createHash, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listAttachments } from '../../src/attachment/attachment-reader.ts';
import { findRaw } from '../../src/attachment/raw-reader.ts';
import { recordUpload, reserveUpload } from '../../src/attachment/upload-writer.ts';
import { collectBlobRows, findCollectableBlobs, findUnusedBlobs } from '../../src/blob/blob-collection.ts';
import { dropExpiredIdempotencyKeys } from '../../src/blob/blob-sweep.ts';
import { connectPostgres } from '../../src/connect-postgres.ts';
import type { Database } from '../../src/database.ts';
import { findApiKey } from '../../src/keys/api-key-reader.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { pruneOutbox } from '../../src/outbox/outbox-queue.ts';
import { emptyContext } from '../../src/session/agent-writer.ts';
import { readEvents } from '../../src/session/event-reader.ts';
import { readFormerSessions } from '../../src/session/session-owner-writer.ts';
import { findTokenHolder } from '../../src/tenancy/tenant-reader.ts';
import { newMessage, newRecord, newReservation } from '../__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from '../__fixtures__/start-cluster.ts';
import { type Watched, watchedSettings, watchStatements } from '../__fixtures__/watch-statements.ts';

/** As `fill.sql` makes ids. */
function idOf(name: string): string {
  const digest = createHash('md5').update(name).digest('hex');
  return digest.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const { programs } = inject('servers');
const tenantId = idOf('tenant 0');
const sessionId = idOf('session 0');
const place = { tenantId, sessionId };

let cluster: Cluster;
let db: Database;
const seen: Record<string, number> = {};

/** What work reads once its statements are planned and their pages are known. */
async function watch(name: string, work: () => Promise<unknown>): Promise<Watched> {
  await work();
  const watched = await watchStatements(cluster, work);
  seen[name] = watched.buffers;
  return watched;
}

describe.runIf(programs.postgres)('a database of a million attachments', () => {
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '', watchedSettings);
    const fill = await readFile(new URL('./fill.sql', import.meta.url), 'utf8');
    await cluster.asSuperuser(`set auto_explain.log_min_duration = -1;\n${fill}`);
    await cluster.asSuperuser('analyze');
    db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 1 });
  }, 600_000);
  afterAll(async () => {
    await db?.close();
    await cluster?.stop();
    process.stdout.write(`Buffers read: ${JSON.stringify(seen)}\n`);
  });

  it.each<[string, number, () => Promise<unknown>]>([
    ['looks an API key up', 40, () => findApiKey(db, idOf('key 123456'))],
    ['looks a session token up', 40, () => findTokenHolder(db, { ...place, ...generations, userId: idOf('user 77') })],
    ['looks a signed URL up', 60, () => findRaw(db, idOf('attachment 765432'))],
    ['reads the newest events of a long log', 120, () => readEvents(db, { ...place, afterSeq: 199_900, limit: 100 })],
    ['stores an upload', 400, storeUpload],
    ['looks for unused blobs', 60, () => findUnusedBlobs(db, { tenantId, retryableSince: past, limit: 200 })],
    ['looks for what to collect among 50,000 condemned blobs', 1_500, () => findCollectableBlobs(db, condemnedPage)],
    ['takes a page of condemned blobs a step on', 2_700, confirmPage],
    ['prunes a batch of messages', 3_600, () => pruneOutbox(db, { olderThanMs: DAY_MS, limit: 200 })],
    ['drops a batch of idempotency keys', 1_800, () => dropExpiredIdempotencyKeys(db, tenantId, 200)],
    [
      'reads what a message names, for an agent with 20,000 deliveries',
      400,
      () => readNamed(db, { ...place, agentIds: [idOf('agent')], attachmentIds: [idOf('attachment 7')] }),
    ],
    ['begins the context of an agent with 20,000 deliveries', 100, beginContext],
    ['accepts a message', 400, acceptOne],
    ['lists a page of former sessions', 200, () => readFormerSessions(db, restarted, { limit: 100 })],
  ])('%s in at most %i buffers, and reads no table from end to end [BX-27]', async (name, most, work) => {
    const { buffers, scannedTables } = await watch(name, work);
    expect(scannedTables.filter((table) => large.has(table))).toEqual([]);
    expect(buffers).toBeGreaterThan(0);
    expect(buffers).toBeLessThanOrEqual(most);
  });

  it('lists the last page of a long session, and a kind that it has none of, as easily as its first page [BX-27 AT-08]', async () => {
    const list = (query: Partial<Parameters<typeof listAttachments>[1]>) => () =>
      db.readAsTenant(tenantId, (tx) => listAttachments(tx, { sessionId, limit: 50, ...query }));
    const at = (position: number) => new Date(Date.UTC(2026, 0, 1) + position * 1000);
    const first = await watch('first page', list({}));
    const last = await watch('last page', list({ after: { createdAt: at(99_940), id: idOf('attachment 99940') } }));
    const none = await watch('no such kind', list({ kind: 'audio' }));
    expect((await list({ after: { createdAt: at(99_940), id: idOf('attachment 99940') } })()).length).toBe(50);
    for (const { scannedTables } of [first, last, none])
      expect(scannedTables.filter((table) => large.has(table))).toEqual([]);
    expect(last.buffers).toBeLessThanOrEqual(2 * first.buffers);
    expect(none.buffers).toBeLessThanOrEqual(2 * first.buffers);
  });

  it.each(['nothing of this name', 'q', 'zq', '%', '\\', 'picture png', 'Picture 00000000-'])(
    'finds none of 100,000 names that hold %j as easily as their first page [BX-27 AT-08]',
    async (name) => {
      const list = (query: object) => () =>
        db.readAsTenant(tenantId, (tx) => listAttachments(tx, { sessionId, limit: 50, ...query }));
      expect(await list({ name })()).toEqual([]);
      const first = await watch('first page', list({}));
      const none = await watch(`no name with ${name}`, list({ name }));
      expect(none.scannedTables.filter((table) => large.has(table))).toEqual([]);
      expect(none.buffers).toBeLessThanOrEqual(2 * first.buffers);
    },
  );
});

const generations = { sessionGeneration: 1, participantGeneration: 1, keyId: randomUUID() };
const DAY_MS = 86_400_000;
const restarted = { replicaId: 'gateway 0', incarnation: randomUUID() };
const past = new Date(0).toISOString();
const future = '2100-01-01T00:00:00.000Z';
const condemnedPage = {
  ...{ tenantId: idOf('tenant 1'), limit: 200, now: future, retryableSince: past },
  ...{ reservedBefore: past, condemnedBefore: past, confirmedBefore: past },
};
const large = new Set([
  'blob',
  'outbox',
  'inbox',
  'idempotency',
  'session_owner',
  'delivery',
  'attachment',
  'attachment_name',
  'api_key',
  'session',
  'session_log',
  'participant',
  'tenant_user',
]);

async function confirmPage(): Promise<void> {
  const page = { ...condemnedPage, condemnedBefore: future };
  const { due } = await findCollectableBlobs(db, page);
  expect(due).toHaveLength(200);
  await collectBlobRows(db, { ...page, blobIds: due, isDryRun: true });
}

const beginContext = () => db.asTenant(tenantId, (tx) => emptyContext(tx, idOf('agent')));

async function acceptOne(): Promise<void> {
  const message = newMessage({ ...place, agentId: idOf('agent') }, [idOf('attachment 7')]);
  expect(await acceptMessage(db, message)).toMatchObject({ outcome: 'accepted' });
}

async function storeUpload(): Promise<void> {
  const reservation = newReservation(place);
  expect(await reserveUpload(db, reservation)).toMatchObject({ outcome: 'reserved' });
  expect(await recordUpload(db, newRecord(reservation))).toMatchObject({ outcome: 'recorded' });
}
