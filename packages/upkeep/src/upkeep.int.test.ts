import { createHostedDatabase } from '@attache/database/contract/hosted-database';
import { connectPostgres } from '@attache/database/postgres';
import type {} from '@attache/test-servers';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';
import { describeCollection } from './collect-blobs.contract.ts';
import { describeEnding } from './end-reservations.contract.ts';
import { describeUpkeep } from './start-upkeep.contract.ts';
import { openBlobs, type SuiteDeps, silentLog } from './upkeep-suite.contract.ts';

const { postgres, missing } = inject('servers');

if (postgres) describe('upkeep on Postgres', () => describeOn(postgres.superuserUrl));
else {
  const why = missing.find(({ name }) => name === 'postgres')?.why;
  describe.skip(`upkeep on Postgres: ${why}`, () => it('collects', () => {}));
}

function describeOn(superuserUrl: string): void {
  let deps: SuiteDeps | undefined;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const database = await createHostedDatabase(superuserUrl);
    closes.push(() => database.drop());
    const { blobs, remove } = await openBlobs();
    closes.push(remove);
    const db = await connectPostgres({ url: database.allUrl, poolSize: 12 });
    closes.push(() => db.close());
    const projector = await connectPostgres({ url: database.urlOf('projector'), poolSize: 2 });
    closes.push(() => projector.close());
    deps = { db, projector, blobs, log: silentLog };
  });
  afterAll(async () => {
    for (const close of closes.reverse()) await close();
  });
  const use = () => {
    if (!deps) throw new Error('The database is not open.');
    return deps;
  };
  describe('collects', () => describeCollection({ use }));
  describe('ends', () => describeEnding({ use }));
  describe('runs', () => describeUpkeep({ use }));
}
