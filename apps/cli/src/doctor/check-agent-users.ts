import { shareUsers, type UserRange } from '@attache/agent-process';
import type { Check } from './finding.ts';

/** As whom sandboxed agents run outside of their sandbox: none if the gateway is no root, since it can give them no user but its own. */
export function checksOfAgentUsers(range: UserRange | undefined, isRoot: boolean): Check[] {
  if (!isRoot) return [];
  const name = 'agent users';
  if (range !== undefined) {
    const { first, last } = shareUsers(range).agents;
    const detail = `each sandboxed agent is a user of its own, of ${first} to ${last}`;
    return [{ name, run: async () => ({ state: 'ok', detail }) }];
  }
  const detail = 'sandboxed agents run as root outside of their sandbox, without its rights';
  const fix = 'Set ATTACHE_AGENT_UIDS=200000-265535, so that each has a user of its own.';
  return [{ name, run: async () => ({ state: 'warning', detail, fix }) }];
}
