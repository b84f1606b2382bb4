import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Logger } from '@attache/telemetry';
import { freeChunk } from '../body/free-chunk.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { Replacements } from '../relay-types.ts';
import { listPieces, measurePieces } from '../splice/list-pieces.ts';
import { openSpool, type Spool } from '../splice/open-spool.ts';
import { markReplaced, planSplices, type Splice } from '../splice/plan-splices.ts';
import type { Exchange } from './exchange.ts';
import { mendRefusal, type SentBody } from './mend-refusal.ts';
import type { PassedAnswer } from './pass-answer.ts';
import type { BodyIntake } from './take-body.ts';

/** Limit for data in memory that waits for the disk, in steps of the spool. */
const MAX_WAITING_STEPS = 1;

/** How often a request is sent again without parts that its provider names, one refusal after the other. */
const MAX_SENT_AGAIN = 4;

/** Returns the answer for the program; undefined: the request is sent again. `key`: with which it was asked for. */
export type Mend = (answer: IncomingMessage, key: string | undefined) => Promise<PassedAnswer | undefined>;

export type Spooling = {
  readonly exchange: Exchange;
  readonly intake: BodyIntake;
  /** Those of the moment when it began. */
  readonly replacements: Replacements;
  readonly folder: string;
  readonly log: Logger;
  /** Begins the request to the provider, with a body of this length. */
  open(lengthBytes: number, mend?: Mend): ClientRequest;
  /** Whether the request may go once more; if not, it is refused. */
  admitAgain(): Promise<boolean>;
};

/**
 * Keeps the body on the disk until it is whole and judged, and sends it with texts in the place of refused blocks. Where its content was not
 * read without doubt it goes out as it came. Settles when it is sent, and need not be sent again, refused or gone.
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
  const { exchange, intake } = spooling;
  const { requestBytes, relay } = exchange;
  const read = intake.readContent();
  const content = read === 'lost' ? await intake.readAgain(spool.read([{ start: 0, end: requestBytes }])) : read;
  let replacements = content === undefined ? NOTHING : await makeRoom(spooling, content);
  if (replacements === undefined) return exchange.refuse('relay_ownership_lost');
  for (let left = MAX_SENT_AGAIN; ; left -= 1) {
    if (exchange.outgoing.destroyed || exchange.isAnswered) return;
    const splices = content === undefined ? [] : planSplices(content.blocks, replacements);
    const body = content && { content, replacements, splices };
    const answer = await sendOnce(spooling, spool, { splices, body, mayMend: left > 0 && isToKeep(exchange) });
    if (answer !== 'refused' || !(await spooling.admitAgain())) return;
    replacements = relay.access.replacements?.() ?? replacements;
  }
}

/** Whether the body may stay on the disk until its answer comes. Others of the agent need some of its room. */
const isToKeep = ({ kind, relay, limits }: Exchange): boolean =>
  kind === 'generate' && relay.access.mending !== undefined && relay.spooledBytes <= limits.maxSpoolBytes / 2;

type Sending = { splices: readonly Splice[]; body: SentBody | undefined; mayMend: boolean };

/** `refused`: it has been reported, and may be sent again. */
async function sendOnce(
  { exchange, open }: Spooling,
  spool: Spool,
  { splices, body, mayMend }: Sending,
): Promise<'sent' | 'refused'> {
  const { requestBytes, kind, relay } = exchange;
  const { endpoint, maxRequestBytes = Number.POSITIVE_INFINITY } = relay.access;
  const pieces = () => listPieces(endpoint.api, splices, requestBytes);
  const lengthBytes = measurePieces(pieces());
  if (lengthBytes > maxRequestBytes) {
    exchange.refuse('relay_body_too_large');
    return 'sent';
  }
  const answered = Promise.withResolvers<'sent' | 'refused'>();
  let hasAnswer = false;
  const mend: Mend = async (answer, key) => {
    hasAnswer = true;
    let outcome: 'sent' | 'refused' = 'sent';
    try {
      const passed = body && (await mendRefusal(exchange, body, answer, key));
      if (passed === undefined) outcome = 'refused';
      return passed;
    } finally {
      answered.resolve(outcome);
    }
  };
  const isKept = mayMend && body !== undefined;
  const upstream = open(lengthBytes, isKept ? mend : undefined);
  // The connection of an answer that was read may be gone before that is judged.
  upstream.once('close', () => hasAnswer || answered.resolve('sent'));
  for await (const bytes of spool.read(pieces())) {
    if (upstream.destroyed) return 'sent';
    exchange.touch();
    await writeOut(upstream, bytes);
  }
  if (upstream.destroyed) return 'sent';
  exchange.replacedBlocks = splices.length;
  if (kind === 'generate' && body !== undefined)
    exchange.content = { ...body.content, blocks: markReplaced(body.content.blocks, splices) };
  exchange.hasLeft = true;
  upstream.end();
  return isKept ? answered.promise : 'sent';
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
