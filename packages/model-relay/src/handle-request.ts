import type { Logger } from '@attache/telemetry';
import type { AgentRelays } from './agent-relays.ts';
import { guessApi } from './api/find-route.ts';
import { admitRequest } from './exchange/admit-request.ts';
import { startExchange } from './exchange/exchange.ts';
import { forwardRequest } from './exchange/forward-request.ts';
import type { ProviderPool } from './exchange/provider-pool.ts';
import { readUrl } from './exchange/read-url.ts';
import { type Answering, sendRefusal } from './exchange/send-refusal.ts';
import type { SharedKeys } from './hold/shared-keys.ts';
import type { RelayLimits } from './relay-limits.ts';
import type { RefusalCode } from './relay-types.ts';
import type { ReadingThreads } from './threads/reading-threads.ts';
import { hasToken } from './token.ts';

export type Relaying = {
  readonly relays: Pick<AgentRelays, 'find' | 'countRequests'>;
  readonly pool: ProviderPool;
  readonly keys: SharedKeys;
  readonly threads: ReadingThreads;
  readonly limits: RelayLimits;
  readonly log: Logger;
  readonly spoolFolder: string;
  /** The allowed Host headers. */
  readonly hosts: readonly string[];
};

/** Handles one request of a program: passes it on, or refuses it. Settles when it is on its way. */
export async function handleRequest(relaying: Relaying, answering: Answering): Promise<void> {
  const { relays, limits, hosts, ...shared } = relaying;
  const { incoming } = answering;
  const { url: rawUrl = '', headers } = incoming;
  const refuse = (code: RefusalCode, api = guessApi(rawUrl)) =>
    sendRefusal(answering, { api, code, lingerMs: limits.lingerMs });

  const url = readUrl(rawUrl);
  if (url === undefined || !hosts.includes(headers.host ?? '')) return refuse('relay_url_refused');
  const relay = relays.find(url.agentId);
  if (relay === undefined) return refuse('relay_token_refused');
  // A key in a URL ends in logs.
  const hasKeyInUrl = new URLSearchParams(url.search).has('key');
  if (hasKeyInUrl || !hasToken(headers, relay.tokenDigest))
    return refuse('relay_token_refused', relay.access.endpoint.api);

  const ofTenant = relays.countRequests(relay.access.tenant);
  const hasRoom = relay.exchanges.size < limits.maxAgentRequests && ofTenant < limits.maxTenantRequests;
  const admitted = admitRequest(relay, incoming, url, hasRoom);
  const exchange = startExchange(relay, answering, limits);
  if (admitted.status === 'refused') {
    Object.assign(exchange, { kind: admitted.kind, model: admitted.model });
    return exchange.refuse(admitted.code, { retryAfterSeconds: admitted.retryAfterSeconds, field: admitted.field });
  }
  Object.assign(exchange, { kind: admitted.route.kind, model: admitted.route.model });
  await forwardRequest({ exchange, admitted, url, ...shared });
}
