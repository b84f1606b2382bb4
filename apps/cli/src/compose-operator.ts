import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createFileBlobStore } from '@attache/blob-store/file';
import { Fault } from '@attache/contracts';
import { lockFolder } from '@attache/database';
import type { OperatorDeps } from '@attache/operator';
import { readSecretKeys } from '@attache/standalone/secret-keys';
import { createLogger } from '@attache/telemetry';
import type { OperatorStore } from './operator/config.ts';

/** A stack that the operator's commands act on directly, until it is closed. */
export type OpenedStack = { deps: OperatorDeps; close(): Promise<void> };

const createLog = () => createLogger({ service: 'attache', level: 'warn' });

/** The hosted stack: its Postgres, and its store if that is named. */
export async function openHosted(config: {
  databaseUrl: string;
  store: OperatorStore | undefined;
  secretKeys: OperatorDeps['secretKeys'];
}): Promise<OpenedStack> {
  const { connectPostgres, requireOperatorLogin } = await import('@attache/database/postgres');
  const db = await connectPostgres({ url: config.databaseUrl, poolSize: 2 });
  try {
    await db.checkReady();
    await requireOperatorLogin(db);
    const { secretKeys } = config;
    if (!config.store) return { deps: { db, secretKeys, log: createLog() }, close: () => db.close() };
    const { createS3BlobStore } = await import('@attache/blob-store/s3');
    const blobs = await createS3BlobStore(config.store);
    const close = async () => {
      await blobs.close();
      await db.close();
    };
    return { deps: { db, blobs, secretKeys, log: createLog() }, close };
  } catch (error) {
    await db.close();
    throw error;
  }
}

/** The embedded stack that no process runs now; its folder is held until it is closed. */
export async function openEmbedded(dataDir: string): Promise<OpenedStack> {
  const folder = join(dataDir, 'database');
  if (!existsSync(folder)) {
    const sentence = `There is no stack in ${dataDir}. Start one with \`attache start\`, or name one by ATTACHE_DATA_DIR or ATTACHE_DATABASE_URL.`;
    throw new Fault('CONFIGURATION_INVALID', sentence);
  }
  const lock = await lockFolder(dataDir);
  try {
    const { connectPglite } = await import('@attache/database/pglite');
    const db = await connectPglite({ folder });
    const blobs = await createFileBlobStore({ root: join(dataDir, 'blobs') });
    const secretKeys = await readSecretKeys(dataDir);
    const close = async () => {
      await db.close();
      await lock.release();
    };
    return { deps: { db, blobs, secretKeys, log: createLog() }, close };
  } catch (error) {
    await lock.release();
    throw error;
  }
}
