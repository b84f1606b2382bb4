import { readStandaloneConfig } from '@attache/standalone/config';
import { checksOfMachine } from './check-machine.ts';
import type { Checkup } from './checkup.ts';
import type { Finding } from './finding.ts';

function describeProfiles(names: readonly string[], warnings: readonly string[]): Omit<Finding, 'name'> {
  const detail = names.length === 0 ? 'none is offered' : names.join(', ');
  if (warnings.length === 0) return { state: 'ok', detail };
  return { state: 'warning', detail, fix: warnings.join(' ') };
}

/** The embedded stack: nothing but this machine and the agents on it. */
export function checkupOfEmbedded(): Checkup {
  const config = readStandaloneConfig();
  const ports = { ATTACHE_PORT: config.port, ATTACHE_OPS_PORT: config.opsPort };
  return {
    checks: [
      ...checksOfMachine({ dataDir: config.dataDir, host: config.host, ports }),
      { name: 'profiles', run: async () => describeProfiles(Object.keys(config.profiles), config.warnings) },
    ],
    offer: config,
  };
}
