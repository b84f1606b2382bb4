import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { listAttachments } from '../../src/attachment/attachment-reader.ts';
import { connectPostgres } from '../../src/connect-postgres.ts';
import type { Database } from '../../src/database.ts';
import * as database from '../../src/index.ts';
import { listSessions } from '../../src/session/session-reader.ts';
import { type Cluster, startCluster } from '../__fixtures__/start-cluster.ts';
import { type Watched, watchedSettings, watchStatements } from '../__fixtures__/watch-statements.ts';
import { listCheckpoints } from './__fixtures__/checkpoints.ts';
import { listDeliveries } from './__fixtures__/deliveries.ts';
import { type Api, idOf, type Row, sessionId, tenantId } from './__fixtures__/large-place.ts';
import { listRequests } from './__fixtures__/requests.ts';
import { listSweeps } from './__fixtures__/sweeps.ts';

const { programs } = inject('servers');

let cluster: Cluster;
let db: Database;
const seen: Record<string, number> = {};

const called = new Set<string | symbol>();
const api = new Proxy(database as Api, {
  get(target, name) {
    called.add(name);
    return Reflect.get(target, name);
  },
});
// It is opened later.
const opened = new Proxy({} as Database, { get: (_, name) => Reflect.get(db, name) });
const rows: Row[] = [listRequests, listDeliveries, listCheckpoints, listSweeps].flatMap((list) => list(opened, api));

/** Counts the reads of some work after its statements are planned and their pages are known. */
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

  it.each(rows)('%s in at most %i buffers, and reads no table from end to end [BX-27]', async (name, most, work) => {
    const { buffers, scannedTables } = await watch(name, work);
    expect(scannedTables.filter((table) => large.has(table)).toSorted()).toEqual(readWhole[name] ?? []);
    expect(buffers).toBeLessThanOrEqual(most);
  });

  it('is read in all the ways that services have [BX-27]', () => {
    const functions = Object.entries(database).flatMap(([name, value]) => (typeof value === 'function' ? [name] : []));
    expect(functions.filter((name) => !called.has(name)).toSorted()).toEqual(pure.toSorted());
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

  it('lists the last page of 100,000 sessions, and those of one status or of one id of the platform, as easily as the first page [BX-27]', async () => {
    const lister = idOf('tenant 9');
    const list = (query: Partial<Parameters<typeof listSessions>[1]>) => () =>
      db.readAsTenant(lister, (tx) => listSessions(tx, { limit: 50, ...query }));
    const after = { createdAt: new Date(Date.UTC(2026, 0, 1) + 50_000), id: idOf('listed 50') };
    expect((await list({ after })()).length).toBe(50);
    expect((await list({ externalId: 'case 7' })()).length).toBe(50);
    const first = await watch('first page of sessions', list({}));
    const others = {
      'last page of sessions': list({ after }),
      'sessions of one id': list({ externalId: 'case 7' }),
      'sessions of an unknown id': list({ externalId: 'none' }),
      'active sessions': list({ status: 'active', after }),
      'ended sessions of none': list({ status: 'ended' }),
    };
    for (const [name, work] of Object.entries(others)) {
      const { buffers, scannedTables } = await watch(name, work);
      expect([name, scannedTables.filter((table) => large.has(table))]).toEqual([name, []]);
      expect(buffers, name).toBeLessThanOrEqual(2 * first.buffers);
    }
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

const large = new Set([
  ...['access_grant', 'api_key', 'attachment', 'attachment_name', 'audit_log', 'blob', 'checkpoint', 'checkpoint_pack'],
  ...['dead_letter', 'delivery'],
  ...['delivery_transition', 'idempotency', 'inbox', 'message', 'message_attachment', 'message_text', 'model_use'],
  ...[
    'outbox',
    'participant',
    'session',
    'session_log',
    'session_owner',
    'tenant_origin',
    'tenant_user',
    'variant',
    'wire_finding',
  ],
]);

/** Tables that are read whole, since all of their rows are needed: files that were ever granted to an agent, once for each start of its program. */
const readWhole: Record<string, string[]> = {
  'reads what an agent may have sent': ['access_grant', 'delivery'],
  // How many sessions each has, when an operator asks for that.
  'lists the gateways': ['session_owner'],
};

/** Functions of this package that ask nothing of the database by themselves. */
const pure = [
  ...['createTimeLimit', 'describeAgent', 'describeApiKey', 'describeGrant', 'describeRow', 'describeSecret'],
  ...['describeSession', 'describeVariant', 'findKnownVariant', 'isUniqueViolation', 'lockFolder', 'newGrantId'],
  ...[
    'orRefusal',
    'placeInLog',
    'preparedMessageIdOf',
    'readRungAttachment',
    'readRungHead',
    'runDurably',
    'sessionEnded',
    'toAppended',
    'toEventRows',
    'toNamed',
    'toNextDelivery',
    'toOverrides',
    'toProbes',
    'toQuarantined',
  ],
  ...['toRefusedFile', 'toStored', 'untilAnswered'],
];
