import { readMigrateConfig } from '@attache/hosted/config';
import { migrateHosted } from '@attache/hosted/migrate';
import { sayStack } from './say-stack.ts';

/** Prepares database and store of the hosted stack. Repeatable, and safe while another one runs. */
export async function migrate(): Promise<void> {
  const config = readMigrateConfig();
  sayStack({ databaseUrl: config.database.url });
  for (const warning of config.warnings) process.stderr.write(`${warning}\n`);
  await migrateHosted(config, (line) => process.stdout.write(`${line}\n`));
}
