import type {} from '@attache/test-servers';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { findCollectableBlobs, findUnusedBlobs } from '../src/blob/blob-collection.ts';
import { connectPostgres } from '../src/connect-postgres.ts';
import type { Database } from '../src/database.ts';
import { lockUsage } from '../src/tenancy/lock-usage.ts';
import { createPlace } from './__fixtures__/database-fixtures.ts';
import { type Cluster, startCluster } from './__fixtures__/start-cluster.ts';

const { programs, missing } = inject('servers');
const why = missing.find(({ name }) => name === 'postgres')?.why;
const suite = programs.postgres ? describe : describe.skip;

suite(programs.postgres ? 'a tenant that is locked' : `collection: ${why}`, () => {
  let cluster: Cluster;
  let db: Database;
  beforeAll(async () => {
    cluster = await startCluster(programs.postgres ?? '');
    db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 2 });
  });
  afterAll(async () => {
    await db.close();
    await cluster.stop();
  });

  it('is looked through by the collection, which waits for nobody and makes nobody wait [BX-27 W12]', async () => {
    const { tenantId } = await createPlace(db);
    const past = new Date(0).toISOString();
    const times = { now: past, reservedBefore: past, condemnedBefore: past, confirmedBefore: past };
    const page = { tenantId, limit: 10, retryableSince: past };
    // A look that asked for the lock would end by the login's lock_timeout.
    const seen = await db.asTenant(tenantId, async (tx) => {
      await lockUsage(tx);
      return [
        (await findUnusedBlobs(db, page)).isLastPage,
        (await findCollectableBlobs(db, { ...page, ...times })).due,
      ];
    });
    expect(seen).toEqual([true, []]);
  });
});
