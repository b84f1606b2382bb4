import { rm } from 'node:fs/promises';
import { afterAll, describe } from 'vitest';
import { connectPglite } from '../src/connect-pglite.ts';
import { describeDatabase } from './database.contract.ts';
import { describeGate } from './gate-queries.contract.ts';
import { copyPgliteFolder } from './pglite-folder.contract.ts';

// One after the other, both suites use it.
const folder = await copyPgliteFolder();

afterAll(() => rm(folder, { recursive: true, force: true }));

describeDatabase('PGlite', async (options) => {
  let db = await connectPglite({ folder, ...options });
  return {
    db,
    async migrateAgain() {
      await db.close();
      db = await connectPglite({ folder, ...options });
      return db;
    },
    close: () => db.close(),
  };
});

describe('PGlite behind its gate', () => describeGate(folder));
