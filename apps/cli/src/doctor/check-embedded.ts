import { runtimeFolderOf } from '@attache/process-setup';
import { PERMISSION_MODE, readStandaloneConfig } from '@attache/standalone/config';
import { checksOfMachine } from './check-machine.ts';
import { checkOfProfiles } from './check-profiles.ts';
import { checkOfPublicUrl } from './check-public-url.ts';
import type { Checkup } from './checkup.ts';

/** The embedded stack: nothing but this machine and the agents on it. */
export function checkupOfEmbedded(): Checkup {
  const config = readStandaloneConfig();
  const ports = { ATTACHE_PORT: config.port, ATTACHE_OPS_PORT: config.opsPort };
  return {
    stack: { dataDir: config.dataDir },
    dataDir: config.dataDir,
    checks: [
      ...checksOfMachine({ dataDir: config.dataDir, host: config.host, ports }),
      checkOfPublicUrl(config),
      checkOfProfiles(config.profiles, config.warnings),
    ],
    policy: { need: 'where-it-works' },
    offer: {
      ...config,
      permissionMode: PERMISSION_MODE,
      privateFolders: [config.dataDir, runtimeFolderOf(config.dataDir)],
    },
  };
}
