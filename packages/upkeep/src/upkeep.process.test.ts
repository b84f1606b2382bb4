import { rm } from 'node:fs/promises';
import { copyPgliteFolder } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { afterAll, beforeAll, describe } from 'vitest';
import { describeCollection } from './collect-blobs.contract.ts';
import { describeEnding } from './end-reservations.contract.ts';
import { describeUpkeep } from './start-upkeep.contract.ts';
import { openBlobs, type SuiteDeps, silentLog } from './upkeep-suite.contract.ts';

describe('upkeep on PGlite', () => {
  let deps: SuiteDeps | undefined;
  const closes: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    const folder = await copyPgliteFolder();
    closes.push(() => rm(folder, { recursive: true, force: true }));
    const { blobs, remove } = await openBlobs();
    closes.push(remove);
    const db = await connectPglite({ folder });
    closes.push(() => db.close());
    deps = { db, projector: db, blobs, log: silentLog };
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
});
