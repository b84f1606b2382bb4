import { readStandaloneConfig, type StandaloneConfig } from '@attache/standalone';

/** The configuration of a stack under test: free ports, quiet, the bundled profiles only. */
export function testConfig(dataDir: string): StandaloneConfig {
  const config = readStandaloneConfig({
    PATH: process.env.PATH,
    ATTACHE_PORT: '0',
    ATTACHE_OPS_PORT: '0',
    ATTACHE_LOG_LEVEL: 'silent',
  });
  return { ...config, dataDir };
}
