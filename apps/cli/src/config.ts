import { join } from 'node:path';
import { readStandaloneConfig, type StandaloneConfig } from '@attache/standalone';

/** The folder in which a person called the command: npm runs scripts in the package's own. */
export function invokedFrom(environment: NodeJS.ProcessEnv = process.env): string {
  return environment.INIT_CWD ?? process.cwd();
}

/** The demo's configuration: a folder and free ports of its own, beside a stack that may be running. */
export function readDemoConfig(): StandaloneConfig {
  const config = readStandaloneConfig();
  return {
    ...config,
    dataDir: join(config.dataDir, 'demo'),
    host: '127.0.0.1',
    port: 0,
    opsPort: 0,
    publicUrl: undefined,
  };
}

/** Whether the environment describes the hosted stack. */
export function hasHostedSettings(environment: NodeJS.ProcessEnv = process.env): boolean {
  return Boolean(environment.ATTACHE_DATABASE_URL ?? environment.DATABASE_URL ?? environment.ATTACHE_DATABASE_URL_FILE);
}
