import { setTimeout as delay } from 'node:timers/promises';
import { createPace } from '@attache/intake';
import type { SocketOwner } from './socket-owner.ts';

/** No model calls its tools as often; a program that does takes the time of others. */
const AGENT_PER_SECOND = 40;
const AGENT_AT_ONCE = 160;
const TENANT_PER_SECOND = 80;
const TENANT_AT_ONCE = 320;

const ofAgent = { perSecond: AGENT_PER_SECOND, atOnce: AGENT_AT_ONCE };
const ofTenant = { perSecond: TENANT_PER_SECOND, atOnce: TENANT_AT_ONCE };

/** Waits until an agent's next request may be worked on (BX-27). Its connection is one of those that it may have, so those that wait are bounded. */
export type RequestPace = (owner: Pick<SocketOwner, 'agentId' | 'session'>) => Promise<void>;

export function createRequestPace({ agent = ofAgent, tenant = ofTenant } = {}): RequestPace {
  const agents = createPace(agent);
  const tenants = createPace(tenant);
  return async ({ agentId, session }) => {
    const waitMs = Math.max(agents(agentId, 1), tenants(session.tenantId, 1));
    if (waitMs > 0) await delay(waitMs);
  };
}
