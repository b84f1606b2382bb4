import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe } from 'vitest';
import { connectPglite } from './connect-pglite.ts';
import { describeDatabase } from './database.contract.ts';
import { describeGate } from './gate-queries.contract.ts';

// A first start takes seconds: one folder serves both suites.
const folder = await mkdtemp(join(tmpdir(), 'attache-pglite-'));

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
