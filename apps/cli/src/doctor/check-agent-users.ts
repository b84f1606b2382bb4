import { existsSync } from 'node:fs';
import { listReachable, shareUsers, type UserRange } from '@attache/agent-process';
import type { Check } from './finding.ts';

/**
 * As whom sandboxed agents run outside of their sandbox, and what they reach of the data folder there: none if the gateway is no root, since it can give
 * them no user but its own.
 */
export function checksOfAgentUsers(range: UserRange | undefined, isRoot: boolean, dataDir: string): Check[] {
  if (!isRoot) return [];
  const name = 'agent users';
  if (range !== undefined) {
    const { first, last } = shareUsers(range).agents;
    const detail = `each sandboxed agent is a user of its own, of ${first} to ${last}`;
    return [{ name, run: async () => ({ state: 'ok', detail }) }, checkOfDataFolder(first, dataDir)];
  }
  const detail = 'sandboxed agents run as root outside of their sandbox, without its rights';
  const fix = 'Set ATTACHE_AGENT_UIDS=200000-265535, so that each has a user of its own.';
  return [{ name, run: async () => ({ state: 'warning', detail, fix }) }];
}

function checkOfDataFolder(uid: number, dataDir: string): Check {
  return {
    name: 'data folder to agents',
    async run() {
      if (!existsSync(dataDir)) return { state: 'ok', detail: `${dataDir} is not there yet` };
      const reached = await listReachable(dataDir, { uid, gid: uid });
      if (reached.length === 0)
        return { state: 'ok', detail: `the user ${uid} can read and write nothing of others in ${dataDir}` };
      const detail = `the user ${uid}, as agents may run, can read or write ${reached.join(', ')}`;
      return { state: 'failed', detail, fix: 'Start Attaché, which closes its own files, or use chmod go= on these.' };
    },
  };
}
