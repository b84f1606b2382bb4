import { forgetCheckpoints } from '@attache/database';
import { removeBytes } from '@attache/intake';
import type { OwningDeps } from '../gateway-deps.ts';

/** Takes away the checkpoints of an agent (uuid), and their bytes behind that. */
export async function forgetMemory(
  deps: Pick<OwningDeps, 'db' | 'blobs'>,
  tenantId: string,
  agentId: string,
): Promise<void> {
  for (const blob of await forgetCheckpoints(deps.db, tenantId, agentId)) void removeBytes(deps, tenantId, blob);
}
