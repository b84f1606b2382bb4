import { readStandaloneConfig } from '@attache/standalone/config';
import { checksOfMachine } from './check-machine.ts';
import type { Check, Finding } from './finding.ts';

function describeProfiles(names: readonly string[], warnings: readonly string[]): Omit<Finding, 'name'> {
  const detail = names.length === 0 ? 'none is offered' : names.join(', ');
  if (warnings.length === 0) return { state: 'ok', detail };
  return { state: 'warning', detail, fix: warnings.join(' ') };
}

/** Checks of the embedded stack: nothing but this machine. */
export function checksOfEmbedded(): Check[] {
  const config = readStandaloneConfig();
  return [
    ...checksOfMachine({
      dataDir: config.dataDir,
      host: config.host,
      ports: { ATTACHE_PORT: config.port, ATTACHE_OPS_PORT: config.opsPort },
    }),
    { name: 'profiles', run: async () => describeProfiles(Object.keys(config.profiles), config.warnings) },
  ];
}
