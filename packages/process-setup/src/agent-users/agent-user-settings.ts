import { readFileSync } from 'node:fs';
import { Fault } from '@attache/contracts';
import { type Setting, text } from '../setting.ts';
import { type MachineUsers, parseUserRange, refuseUserRange, type UserRange } from './user-range.ts';

const EXAMPLE = '`200000-265535`, numbers from 1000 to 2147483646 that no user or group of the machine has';

/** Settings of processes that start agents or media workers in sandboxes as root. */
export const agentUserSettings = {
  ATTACHE_AGENT_UIDS: rangeOf(
    text({
      example: EXAMPLE,
      meaning:
        'Users, by number: `first-last`. A service that runs as root has its media workers run as the last one, and a gateway gives each sandboxed agent one of the others. Without it they run as root, without its rights.',
    }),
  ),
} as const;

function rangeOf(setting: Setting<string>): Setting<UserRange> {
  const parse: Setting<UserRange>['parse'] = (given) => {
    const value = parseUserRange(given);
    return value === undefined ? { ok: false, reason: `must look like ${EXAMPLE}` } : { ok: true, value };
  };
  return { ...setting, parse };
}

/** The users that agents and media workers may get; undefined where none are set. Throws CONFIGURATION_INVALID where this gateway cannot give them. */
export function readAgentUsers(
  { ATTACHE_AGENT_UIDS: range }: { ATTACHE_AGENT_UIDS?: UserRange | undefined },
  readMachine: () => MachineUsers = readMachineUsers,
): UserRange | undefined {
  const reason = range && refuseUserRange(range, readMachine());
  if (reason !== undefined) throw new Fault('CONFIGURATION_INVALID', `ATTACHE_AGENT_UIDS ${reason}.`);
  return range;
}

/** Reads who has which number here, and what this process may do. */
function readMachineUsers(): MachineUsers {
  return {
    passwd: readIfThere('/etc/passwd'),
    group: readIfThere('/etc/group'),
    subuid: readIfThere('/etc/subuid'),
    capabilities: /^CapEff:\s*([\da-f]+)$/m.exec(readIfThere('/proc/self/status'))?.[1],
  };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
