import { createS3BlobStore, ensureBucket } from '@attache/blob-store/s3';
import { migratePostgres } from '@attache/database/postgres';
import type { MigrateConfig } from './config.ts';

/** Brings the database to the newest schema, gives the service logins their passwords, and makes the bucket. Repeatable. */
export async function migrateHosted(config: MigrateConfig, say: (line: string) => void): Promise<void> {
  const { url, directUrl } = config.database;
  await migratePostgres({ url: directUrl ?? url, servicePasswords: config.servicePasswords });
  say('The database has the newest schema.');
  if (!config.store) return;
  await ensureBucket(config.store);
  const blobs = await createS3BlobStore(config.store);
  try {
    const { warnings } = await blobs.checkServer();
    for (const warning of warnings) say(`Warning: ${warning}`);
    say(`The bucket ${config.store.bucket} is there and can be used.`);
  } finally {
    await blobs.close();
  }
}
