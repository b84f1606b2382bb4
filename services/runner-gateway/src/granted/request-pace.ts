import { setTimeout as delay } from 'node:timers/promises';
import { Fault } from '@attache/contracts';
import { createPace } from '@attache/intake';
import type { SocketOwner } from './socket-owner.ts';

// No model calls its tools as often; a program that does takes the time of others.
const AGENT_PER_SECOND = 40;
const AGENT_AT_ONCE = 160;
const TENANT_PER_SECOND = 80;
const TENANT_AT_ONCE = 320;

/** Longer than the requests of all connections of an agent take in their turn. */
const MAX_WAIT_MS = 10_000;

const ofAgent = { perSecond: AGENT_PER_SECOND, atOnce: AGENT_AT_ONCE };
const ofTenant = { perSecond: TENANT_PER_SECOND, atOnce: TENANT_AT_ONCE };

/**
 * Waits until an agent's next request may be worked on (BX-27); `RATE_LIMITED` where too many wait. The tenant's pace counts it only then: however many an
 * agent sends and gives up, agents beside it wait for no more of them than for those that it may be answered.
 */
export type RequestPace = (owner: Pick<SocketOwner, 'agentId' | 'session'>) => Promise<void>;

export function createRequestPace({ agent = ofAgent, tenant = ofTenant, maxWaitMs = MAX_WAIT_MS } = {}): RequestPace {
  const agents = createPace({ ...agent, maxWaitMs });
  const tenants = createPace({ ...tenant, maxWaitMs });
  return async ({ agentId, session }) => {
    await waitFor(agents(agentId, 1));
    await waitFor(tenants(session.tenantId, 1));
  };
}

async function waitFor(waitMs: number): Promise<void> {
  if (waitMs === Number.POSITIVE_INFINITY)
    throw new Fault('RATE_LIMITED', 'Too many requests wait. Wait for answers, then try again.', {
      retryable: true,
      retryAfterSeconds: 5,
    });
  if (waitMs > 0) await delay(waitMs);
}
