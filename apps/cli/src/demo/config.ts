import { join } from 'node:path';
import { readStandaloneConfig, type StandaloneConfig } from '@attache/standalone';

/** The demo's configuration: a folder and free ports of its own, next to a stack that may be running. */
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
