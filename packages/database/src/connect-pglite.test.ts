import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectPglite } from './connect-pglite.ts';
import { describeDatabase } from './database.contract.ts';

describeDatabase('PGlite', async (options) => {
  const folder = await mkdtemp(join(tmpdir(), 'attache-pglite-'));
  let db = await connectPglite({ folder, ...options });
  return {
    db,
    async migrateAgain() {
      await db.close();
      db = await connectPglite({ folder, ...options });
      return db;
    },
    async close() {
      await db.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
});
