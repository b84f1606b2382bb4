import { type Cluster, startCluster } from '@attache/database/contract';
import { connectPostgres } from '@attache/database/postgres';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { findPostgresPrograms } from '../../../infra/native/find-postgres.ts';
import { describeCollection } from './collect-blobs.contract.ts';
import type { CollectDeps } from './collected-blobs.ts';
import { describeUpkeep } from './start-upkeep.contract.ts';
import { openBlobs, silentLog } from './upkeep-suite.contract.ts';

const programs = await findPostgresPrograms(process.env.PATH ?? '');

if (programs) describe('upkeep on Postgres', () => describeOn(programs));
else
  describe.skip('upkeep: Postgres 15+ binaries not found on PATH or /usr/lib/postgresql', () =>
    it('collects', () => {}));

function describeOn(programs: string): void {
  let deps: CollectDeps | undefined;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const cluster: Cluster = await startCluster(programs);
    closes.push(() => cluster.stop());
    const { blobs, remove } = await openBlobs();
    closes.push(remove);
    const db = await connectPostgres({ url: cluster.serviceUrl, poolSize: 12 });
    closes.push(() => db.close());
    deps = { db, blobs, log: silentLog };
  }, 120_000);
  afterAll(async () => {
    for (const close of closes.reverse()) await close();
  });
  const use = () => {
    if (!deps) throw new Error('The database is not open.');
    return deps;
  };
  describe('collects', () => describeCollection({ use }));
  describe('runs', () => describeUpkeep({ use }));
}
