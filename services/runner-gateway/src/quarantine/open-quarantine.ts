import type { Profile } from '@attache/contracts';
import { type AgentRow, readSentDigests } from '@attache/database';
import type { GatewayDeps } from '../gateway-deps.ts';
import { type AgentQuarantine, createAgentQuarantine, type Trials } from './agent-quarantine.ts';

/** Undefined if the program asks its model without the relay: then nothing can be taken out of what it sends. */
export async function openQuarantine(
  { db }: Pick<GatewayDeps, 'db'>,
  { endpoint }: Pick<Profile, 'endpoint'>,
  { tenantId, id }: AgentRow,
  { isResumed, trials }: { isResumed: boolean; trials: Trials | undefined },
): Promise<AgentQuarantine | undefined> {
  if (endpoint === undefined) return undefined;
  const sent = isResumed ? await db.readAsTenant(tenantId, (tx) => readSentDigests(tx, id)) : undefined;
  return createAgentQuarantine(endpoint.api, sent, trials);
}
