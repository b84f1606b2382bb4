import type { ClientRequest } from 'node:http';
import { isFault } from '@attache/contracts';
import type { Logger } from '@attache/telemetry';
import { createBatchWriter } from '../body/batch-writer.ts';
import type { SharedKeys } from '../hold/shared-keys.ts';
import type { Replacements } from '../relay-types.ts';
import type { ReadingThreads } from '../threads/reading-threads.ts';
import { type Admitted, lengthOf } from './admit-request.ts';
import type { Exchange } from './exchange.ts';
import { forwardSpooled, type Mend } from './forward-spooled.ts';
import { holdRequest } from './hold-request.ts';
import { passAnswer } from './pass-answer.ts';
import { passRequestHeaders } from './pass-headers.ts';
import type { ProviderPool } from './provider-pool.ts';
import type { RelayUrl } from './read-url.ts';
import { takeBody } from './take-body.ts';

export type Forwarding = {
  readonly exchange: Exchange;
  readonly admitted: Admitted;
  readonly url: RelayUrl;
  readonly pool: ProviderPool;
  readonly keys: SharedKeys;
  readonly threads: ReadingThreads;
  readonly log: Logger;
  readonly spoolFolder: string;
};

/** Sends an admitted request to the provider and its answer to the program. Settles when the request is on its way or refused. */
export async function forwardRequest(forwarding: Forwarding): Promise<void> {
  const { exchange, admitted, log, spoolFolder: folder } = forwarding;
  const { access } = exchange.relay;
  let key: string | undefined;
  try {
    key = await access.endpoint.readKey();
  } catch (error) {
    const isMissing = isFault(error, 'SECRET_NOT_FOUND') || isFault(error, 'CONFIGURATION_INVALID');
    // A secret that a tenant has not saved is no problem for the operator.
    const level = isFault(error, 'SECRET_NOT_FOUND') ? 'info' : 'error';
    log[level]({ err: error, agentId: access.agentId }, 'The key of a model API could not be read.');
    return exchange.refuse(isMissing ? 'relay_key_missing' : 'relay_key_unreadable');
  }
  // The program, or the agent's relay, may be gone meanwhile.
  if (exchange.outgoing.destroyed || exchange.isAnswered) return;
  if (!(await mayGo(forwarding, key))) return;
  const open = (lengthBytes?: number, mend?: Mend) => openUpstream(forwarding, { key, lengthBytes, mend });
  if (exchange.incoming.method === 'GET') return void open().end();
  // Read only now, so that refusals during the wait count, too.
  const replacements: Replacements = access.replacements?.() ?? new Map();
  if (replacements.size === 0 && !mayBeAltered(exchange)) return forwardBody(forwarding, open);
  const intake = takeBody(exchange, { admitted, threads: forwarding.threads, isSpooled: true });
  const admitAgain = () => mayGo(forwarding, key);
  await forwardSpooled({ exchange, intake, replacements, folder, log, open, admitAgain });
}

/** Whether room may have to be made in the request, or a part be replaced that its provider refuses. The second is worth no refusal of the relay itself. */
function mayBeAltered({ kind, incoming, relay, limits }: Exchange): boolean {
  if (kind !== 'generate') return false;
  const { overflow, mending } = relay.access;
  const lengthBytes = lengthOf(incoming);
  if (overflow?.isLikely(lengthBytes)) return true;
  const hasRoom = lengthBytes !== undefined && relay.spooledBytes + lengthBytes <= limits.maxSpoolBytes / 2;
  return hasRoom && mending?.isLikely() === true;
}

/** Waits until the request may go to the provider. False: it was refused, or its program is gone. */
async function mayGo(forwarding: Forwarding, key: string | undefined): Promise<boolean> {
  const { exchange, keys } = forwarding;
  await holdRequest(exchange, keys, key);
  if (exchange.outgoing.destroyed || exchange.isAnswered) return false;
  if (!(await mayForward(forwarding))) exchange.refuse('relay_ownership_lost');
  return !exchange.outgoing.destroyed && !exchange.isAnswered;
}

async function mayForward({ exchange, log }: Forwarding): Promise<boolean> {
  const { agentId, allowForward } = exchange.relay.access;
  try {
    await allowForward?.();
    return true;
  } catch (error) {
    log.warn({ err: error, agentId }, 'relay.not_allowed');
    return false;
  }
}

function openUpstream(
  { exchange, url, pool, log }: Forwarding,
  given: { key: string | undefined; lengthBytes: number | undefined; mend: Mend | undefined },
): ClientRequest {
  const { incoming, relay } = exchange;
  const { api } = relay.access.endpoint;
  const upstream = pool.start({
    ...{ origin: relay.origin, method: incoming.method ?? '', path: `${url.path}${url.search}` },
    headers: passRequestHeaders(incoming, { api, host: relay.origin.host, ...given }),
  });
  exchange.upstream = upstream;
  upstream.on('response', async (answer) => {
    try {
      const passed = given.mend === undefined ? answer : await given.mend(answer, given.key);
      if (passed !== undefined) passAnswer(exchange, passed, given.key);
    } catch (error) {
      log.error({ err: error, agentId: relay.access.agentId }, 'An answer of a model API could not be passed on.');
      exchange.refuse('relay_provider_failed');
    }
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (exchange.upstream !== upstream || exchange.isAnswered || exchange.outgoing.destroyed) return;
    const { agentId } = relay.access;
    log.warn({ agentId, kind: exchange.kind, code: error.code }, 'A request to a model API failed.');
    exchange.refuse(error.code === 'ETIMEDOUT' ? 'relay_provider_timeout' : 'relay_provider_failed');
  });
  // A switch of protocols ends a request without an error and without an answer.
  upstream.once('close', () => {
    if (exchange.upstream === upstream && exchange.firstByteMs === undefined) exchange.refuse('relay_provider_failed');
  });
  return upstream;
}

/**
 * Sends the body while it comes, and keeps the last chunk back until the whole is judged: a refused request is never whole at the provider,
 * and nothing waits in memory or on a disk, however late the model is named.
 */
function forwardBody({ exchange, admitted, threads }: Forwarding, open: () => ClientRequest): void {
  const { incoming } = exchange;
  const intake = takeBody(exchange, { admitted, threads, isSpooled: false });
  /** For whom it waits: what reads the content, or the provider. */
  const waits = new Set<'reader' | 'provider'>();
  let held: Buffer | undefined;

  const endWait = (wait: 'reader' | 'provider'): void => {
    if (waits.delete(wait) && waits.size === 0) incoming.resume();
  };
  const writer = createBatchWriter({
    open,
    onFull: () => {
      // The rest of a refused body is read and dropped.
      if (exchange.isAnswered) return;
      waits.add('provider');
      incoming.pause();
    },
    onRoom: () => endWait('provider'),
  });

  incoming.on('data', (chunk: Buffer) => {
    if (!intake.take(chunk)) return;
    if (held !== undefined) writer.write(held);
    held = chunk;
    const room = intake.waitForRoom();
    if (room !== undefined) waits.add('reader');
    void room?.then(() => endWait('reader'));
    if (waits.size > 0) incoming.pause();
  });
  incoming.once('end', async () => {
    if (!(await intake.end())) return;
    const content = intake.readContent();
    exchange.content = content === 'lost' ? undefined : content;
    exchange.hasLeft = true;
    writer.end(held);
  });
}
