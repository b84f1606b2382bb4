import { forgetCheckpoints, untilAnswered } from '@attache/database';
import { removeBytes } from '@attache/intake';
import type { OwningDeps } from '../gateway-deps.ts';

/** Removes the checkpoints of an agent (uuid), and their bytes behind that. It outlasts an outage of the database: forgotten memory must not come back. */
export async function forgetMemory(
  deps: Pick<OwningDeps, 'db' | 'blobs' | 'ownership'>,
  tenantId: string,
  agentId: string,
): Promise<void> {
  const forget = () => forgetCheckpoints(deps.db, tenantId, agentId);
  for (const blob of await untilAnswered(forget, deps.ownership.isWaiting)) void removeBytes(deps, tenantId, blob);
}
