import type { ClientRequest } from 'node:http';
import type { Logger } from '@attache/telemetry';
import { freeChunk } from '../body/free-chunk.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { Replacements } from '../relay-types.ts';
import { listPieces, measurePieces } from '../splice/list-pieces.ts';
import { openSpool, type Spool } from '../splice/open-spool.ts';
import { markReplaced, planSplices } from '../splice/plan-splices.ts';
import type { Exchange } from './exchange.ts';
import type { BodyIntake } from './take-body.ts';

/** Limit for data in memory that waits for the disk, in steps of the spool. */
const MAX_WAITING_STEPS = 1;

export type Spooling = {
  readonly exchange: Exchange;
  readonly intake: BodyIntake;
  /** Those of the moment when it began. */
  readonly replacements: Replacements;
  readonly folder: string;
  readonly log: Logger;
  /** Begins the request to the provider, with a body of this length. */
  open(lengthBytes: number): ClientRequest;
};

/**
 * Keeps the body on the disk until it is whole and judged, and sends it with texts in the place of refused blocks. Where its content was not
 * read without doubt it goes out as it came. Settles when it is sent, refused or gone.
 */
export async function forwardSpooled(spooling: Spooling): Promise<void> {
  const { exchange, intake, folder, log } = spooling;
  let spool: Spool | undefined;
  try {
    spool = await openSpool(folder);
    const isWhole = await receiveBody(exchange, intake, spool);
    if (isWhole && !exchange.outgoing.destroyed) await sendBody(spooling, spool);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    log.error(
      { agentId: exchange.relay.access.agentId, code },
      'A request to a model API could not be kept on the disk.',
    );
    exchange.refuse('relay_spool_failed');
    // The response to a request that is already going out may have begun.
    exchange.upstream?.destroy();
  } finally {
    exchange.relay.spooledBytes -= exchange.spooledBytes;
    await spool?.close().catch(() => {});
  }
}

/** Resolves with whether the body came whole and may pass; rejects with the disk's error. */
function receiveBody(exchange: Exchange, intake: BodyIntake, spool: Spool): Promise<boolean> {
  const { incoming, outgoing, relay, limits } = exchange;
  return new Promise((resolve, reject) => {
    let writes = 0;
    let rooms = 0;
    const pauseWhileFull = (): void => {
      if (writes > MAX_WAITING_STEPS || rooms > 0) incoming.pause();
      else incoming.resume();
    };
    outgoing.once('close', () => resolve(false));
    if (outgoing.destroyed) resolve(false);
    incoming.on('data', (chunk: Buffer) => {
      if (!intake.take(chunk)) return resolve(false);
      exchange.spooledBytes += chunk.length;
      relay.spooledBytes += chunk.length;
      if (relay.spooledBytes > limits.maxSpoolBytes) return reject(spoolFull());
      const written = spool.write(chunk);
      freeChunk(chunk);
      if (written !== undefined) {
        writes += 1;
        written.then(() => {
          writes -= 1;
          pauseWhileFull();
        }, reject);
      }
      const room = intake.waitForRoom();
      if (room !== undefined) {
        rooms += 1;
        void room.then(() => {
          rooms -= 1;
          pauseWhileFull();
        });
      }
      if (written !== undefined || room !== undefined) pauseWhileFull();
    });
    incoming.once('end', () =>
      Promise.all([intake.end(), spool.flush()]).then(([mayPass]) => resolve(mayPass), reject),
    );
  });
}

async function sendBody(spooling: Spooling, spool: Spool): Promise<void> {
  const { exchange, intake, open } = spooling;
  const { requestBytes, kind, relay } = exchange;
  const { endpoint, maxRequestBytes = Number.POSITIVE_INFINITY } = relay.access;
  const read = intake.readContent();
  const content = read === 'lost' ? await intake.readAgain(spool.read([{ start: 0, end: requestBytes }])) : read;
  const replacements = content === undefined ? NOTHING : await makeRoom(spooling, content);
  if (replacements === undefined) return exchange.refuse('relay_ownership_lost');
  if (exchange.outgoing.destroyed || exchange.isAnswered) return;
  const splices = content === undefined ? [] : planSplices(content.blocks, replacements);
  const pieces = () => listPieces(endpoint.api, splices, requestBytes);
  const lengthBytes = measurePieces(pieces());
  if (lengthBytes > maxRequestBytes) return exchange.refuse('relay_body_too_large');
  const upstream = open(lengthBytes);
  for await (const bytes of spool.read(pieces())) {
    if (upstream.destroyed) return;
    exchange.touch();
    await writeOut(upstream, bytes);
  }
  if (upstream.destroyed) return;
  exchange.replacedBlocks = splices.length;
  if (kind === 'generate') exchange.content = content && { ...content, blocks: markReplaced(content.blocks, splices) };
  exchange.hasLeft = true;
  upstream.end();
}

const NOTHING: Replacements = new Map();

/** The replacements in a request, with those that were decided for it now; undefined: it may not go. */
async function makeRoom(
  { exchange, replacements, log }: Spooling,
  content: RelayedContent,
): Promise<Replacements | undefined> {
  const { model, requestBytes: sizeBytes, kind, relay } = exchange;
  const { agentId, overflow, replacements: read } = relay.access;
  if (overflow === undefined || kind !== 'generate') return replacements;
  try {
    await overflow.makeRoom({ model, content, sizeBytes });
  } catch (error) {
    log.warn({ err: error, agentId }, 'relay.no_room_made');
    return undefined;
  }
  return read?.() ?? replacements;
}

/** As if the disk were full, which it is for this agent. */
const spoolFull = () => Object.assign(new Error('Too much of one agent is on the disk.'), { code: 'ENOSPC' });

/** Settles when the bytes have left, or the connection is gone. */
function writeOut(upstream: ClientRequest, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      upstream.off('close', end);
      resolve();
    };
    upstream.once('close', end);
    upstream.write(bytes, end);
    if (upstream.destroyed) end();
  });
}
