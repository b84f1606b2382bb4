import type { ClientRequest } from 'node:http';
import { isFault } from '@attache/contracts';
import type { Logger } from '@attache/telemetry';
import { judgeBody } from '../body/judge-body.ts';
import type { Admitted } from './admit-request.ts';
import type { Exchange } from './exchange.ts';
import { passAnswer } from './pass-answer.ts';
import { passRequestHeaders } from './pass-headers.ts';
import type { ProviderPool } from './provider-pool.ts';
import type { RelayUrl } from './read-url.ts';

export type Forwarding = {
  readonly exchange: Exchange;
  readonly admitted: Admitted;
  readonly url: RelayUrl;
  readonly pool: ProviderPool;
  readonly log: Logger;
};

/** Sends an admitted request to the provider and its answer to the program. Settles when the request is on its way or refused. */
export async function forwardRequest(forwarding: Forwarding): Promise<void> {
  const { exchange, log } = forwarding;
  const { access } = exchange.relay;
  let key: string | undefined;
  try {
    key = await access.endpoint.readKey();
  } catch (error) {
    const isMissing = isFault(error, 'SECRET_NOT_FOUND') || isFault(error, 'CONFIGURATION_INVALID');
    // What a tenant has not saved is nothing that the operator has to look at.
    const level = isFault(error, 'SECRET_NOT_FOUND') ? 'info' : 'error';
    log[level]({ err: error, agentId: access.agentId }, 'The key of a model API could not be read.');
    return exchange.refuse(isMissing ? 'relay_key_missing' : 'relay_key_unreadable');
  }
  // The program, or the agent's relay, may be gone meanwhile.
  if (exchange.outgoing.destroyed || exchange.isAnswered) return;
  const open = () => openUpstream(forwarding, key);
  if (exchange.incoming.method === 'GET') open().end();
  else forwardBody(forwarding, open);
}

function openUpstream({ exchange, url, pool, log }: Forwarding, key: string | undefined): ClientRequest {
  const { incoming, relay } = exchange;
  const { api } = relay.access.endpoint;
  const upstream = pool.start({
    ...{ origin: relay.origin, method: incoming.method ?? '', path: `${url.path}${url.search}` },
    headers: passRequestHeaders(incoming, { api, host: relay.origin.host, key }),
  });
  exchange.upstream = upstream;
  upstream.on('response', (answer) => passAnswer(exchange, answer));
  upstream.on('drain', () => incoming.resume());
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (exchange.isAnswered || exchange.outgoing.destroyed) return;
    const { agentId } = relay.access;
    log.warn({ agentId, kind: exchange.kind, code: error.code }, 'A request to a model API failed.');
    exchange.refuse(error.code === 'ETIMEDOUT' ? 'relay_provider_timeout' : 'relay_provider_failed');
  });
  // A switch of protocols ends a request without an error and without an answer.
  upstream.once('close', () => {
    if (exchange.firstByteMs === undefined) exchange.refuse('relay_provider_failed');
  });
  return upstream;
}

/**
 * Sends the body while it comes, and keeps the last chunk back until the whole is judged: a refused request is never whole at the provider,
 * and nothing waits in memory or on a disk, however late the model is named.
 */
function forwardBody({ exchange, admitted }: Forwarding, open: () => ClientRequest): void {
  const { incoming, relay } = exchange;
  const maxBytes = relay.access.maxRequestBytes ?? Number.POSITIVE_INFINITY;
  const question = { kind: admitted.route.kind, isInTurn: admitted.isInTurn };
  const judge = judgeBody(relay.access, question, (model) => {
    exchange.model = model;
  });
  let held: Buffer | undefined;

  incoming.on('data', (chunk: Buffer) => {
    exchange.touch();
    exchange.requestBytes += chunk.length;
    const refused = exchange.requestBytes > maxBytes ? 'relay_body_too_large' : judge.write(chunk);
    if (refused !== undefined) return exchange.refuse(refused);
    if (held !== undefined && !(exchange.upstream ?? open()).write(held)) incoming.pause();
    held = chunk;
  });
  incoming.once('end', () => {
    if (exchange.isAnswered || exchange.outgoing.destroyed) return;
    const refused = judge.end();
    if (refused !== undefined) return exchange.refuse(refused);
    exchange.content = judge.readContent();
    (exchange.upstream ?? open()).end(held);
  });
}
