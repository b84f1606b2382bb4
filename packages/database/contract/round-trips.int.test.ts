import { requireDecision } from '@attache/domain';
import type {} from '@attache/test-servers';
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { recordUpload, reserveUpload } from '../src/attachment/upload-writer.ts';
import { connectPostgres } from '../src/connect-postgres.ts';
import type { Database, Tx } from '../src/database.ts';
import { findDelivery } from '../src/delivery/delivery-reader.ts';
import { stateOf } from '../src/delivery/delivery-state.ts';
import { applyDecision } from '../src/delivery/delivery-writer.ts';
import { session } from '../src/schema.ts';
import {
  createDelivery,
  createPlace,
  newRecord,
  newReservation,
  type Place,
} from './__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from './__fixtures__/start-cluster.ts';
import { startTcpProxy, type TcpProxy } from './__fixtures__/tcp-proxy.ts';

const { programs, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = programs.postgres ? describe : describe.skip;

suite(programs.postgres ? 'round trips to Postgres' : `round trips: ${why}`, () => {
  let cluster: Cluster;
  let proxy: TcpProxy;
  let db: Database;
  let place: Place;
  let turns = 0;
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '');
    proxy = await startTcpProxy(Number(new URL(cluster.serviceUrl).port));
    db = await connectPostgres({ url: proxy.through(cluster.serviceUrl), poolSize: 1 });
    place = await createPlace(db);
    let speaker = 'server';
    proxy.onBytes((from) => {
      if (from === 'client' && speaker === 'server') turns += 1;
      speaker = from;
      return 'pass';
    });
  });
  afterAll(async () => {
    await db.close();
    await proxy.close();
    await cluster.stop();
  });

  /** How often the client had to wait for the server. */
  const countTurns = async (work: () => Promise<unknown>) => {
    turns = 0;
    await work();
    return turns;
  };
  const upload = async () => {
    const reservation = newReservation(place);
    const reserved = await countTurns(() => reserveUpload(db, reservation));
    return [reserved, await countTurns(() => recordUpload(db, newRecord(reservation)))];
  };
  const readSession = (tx: Tx) => tx.select().from(session).where(eq(session.id, place.sessionId));

  it('an upload takes two: one to reserve, one to record', async () => {
    // A statement's first use on a connection prepares it.
    await upload();
    expect(await upload()).toEqual([1, 1]);
  });

  it('what follows from a fact of a delivery takes one: status, timeline, agent, outbox and log', async () => {
    const prepare = async () => {
      const { deliveryId } = await createDelivery(db, place);
      const row = await db.readAsTenant(place.tenantId, (tx) => findDelivery(tx, deliveryId));
      if (!row) throw new Error('the delivery is gone');
      const decision = requireDecision(stateOf(row), { kind: 'parts-built', parts: [] });
      return countTurns(() => applyDecision(db, decision));
    };
    await prepare();
    expect(await prepare()).toBe(1);
  });

  it('a transaction takes one for its commit and one for each statement: the first goes out with the begin', async () => {
    const once = () => db.asTenant(place.tenantId, readSession);
    const twice = () =>
      db.asTenant(place.tenantId, async (tx) => {
        await readSession(tx);
        return readSession(tx);
      });
    await once();
    expect([await countTurns(once), await countTurns(twice)]).toEqual([2, 3]);
  });

  it('entering fails closed: what was sent behind it does not run', async () => {
    const stranger = '00000000-0000-4000-8000-000000000000';
    await cluster.asSuperuser('revoke attache_app from attache_service');
    const before = await countRows(db);
    const refused = db.asTenant(stranger, (tx) =>
      tx.execute(sql`insert into sweep (name, last_run_at) values ('x', now())`),
    );
    await expect(refused).rejects.toMatchObject({ code: '42501' });
    await cluster.asSuperuser('grant attache_app to attache_service');
    expect(await countRows(db)).toBe(before);
  });
});

const countRows = (db: Database) => db.asWorker(async (tx) => (await tx.query.sweep.findMany()).length);
