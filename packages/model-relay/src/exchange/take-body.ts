import { type BodyQuestion, judgeBody } from '../body/judge-body.ts';
import type { RelayedContent } from '../content/content-types.ts';
import { judgeFields } from '../fields/judge-fields.ts';
import type { RelayAccess } from '../relay-types.ts';
import type { BodyReader } from '../threads/body-reader.ts';
import type { ReadingThreads } from '../threads/reading-threads.ts';
import type { Admitted } from './admit-request.ts';
import type { Exchange } from './exchange.ts';

/** A smaller body is read sooner than a thread is asked. */
const MIN_THREAD_BYTES = 1_000_000;

/** Counts and judges the body of a request. Where it is refused, the exchange is. */
export type BodyIntake = {
  /** Whether the body may pass so far. The chunk is not kept. */
  take(chunk: Buffer): boolean;
  /** Settles once more may be taken; undefined: at once. */
  waitForRoom(): Promise<void> | undefined;
  /** Whether the whole may pass. */
  end(): Promise<boolean>;
  /** Once it has ended. `lost`: it could not be read to its end. */
  readContent(): RelayedContent | undefined | 'lost';
  /** Reads it again, where its content is lost. */
  readAgain(body: AsyncIterable<Buffer>): Promise<RelayedContent | undefined>;
};

export type Taking = {
  readonly admitted: Admitted;
  readonly threads: ReadingThreads;
  /** Its messages are read whatever it is. */
  readonly isSpooled: boolean;
};

export function takeBody(exchange: Exchange, { admitted, threads, isSpooled }: Taking): BodyIntake {
  const { access } = exchange.relay;
  // A body that waits is measured once room was made in it.
  const isMeasuredLater = isSpooled && access.overflow !== undefined;
  const maxBytes = (isMeasuredLater ? undefined : access.maxRequestBytes) ?? Number.POSITIVE_INFINITY;
  const { kind } = admitted.route;
  const readsContent = isSpooled || kind === 'generate';
  const question = { kind, isInTurn: admitted.isInTurn, readsContent };
  const reader = readsContent ? openReader(exchange, threads, question) : undefined;
  // This thread always judges whether the body may pass; a reading thread extracts its content.
  const judge = judgeBody(access, { ...question, readsContent: readsContent && reader === undefined }, (model) => {
    exchange.model = model;
  });
  const fields = judgeFields({ ...access.endpoint, model: admitted.route.model });
  let content: RelayedContent | undefined | 'lost';

  /** Why the whole is refused. */
  async function endWhole() {
    const read = await reader?.end();
    const refused = judge.end() ?? (read?.status === 'refused' ? read.code : undefined);
    if (read === undefined) content = judge.readContent();
    else content = read.status === 'read' ? read.content : 'lost';
    return refused;
  }

  return {
    take(chunk) {
      exchange.touch();
      exchange.requestBytes += chunk.length;
      const isTooLarge = exchange.requestBytes > maxBytes;
      const refused = isTooLarge ? 'relay_body_too_large' : (judge.write(chunk) ?? reader?.findRefusal());
      if (refused !== undefined) exchange.refuse(refused);
      const field = refused === undefined ? fields.write(chunk) : undefined;
      if (field !== undefined) exchange.refuse(field.code, field);
      if (refused !== undefined || field !== undefined) return false;
      reader?.take(chunk);
      return true;
    },
    waitForRoom: () => reader?.waitForRoom(),
    async end() {
      if (exchange.isAnswered || exchange.outgoing.destroyed) return false;
      const refused = await endWhole();
      if (exchange.isAnswered || exchange.outgoing.destroyed) return false;
      if (refused !== undefined) exchange.refuse(refused);
      return refused === undefined;
    },
    readContent: () => content,
    readAgain: (body) => readWhole(access, question, body),
  };
}

/** A thread for a body that says beforehand that it is large. It ends with the exchange. */
function openReader(exchange: Exchange, threads: ReadingThreads, question: BodyQuestion): BodyReader | undefined {
  const { incoming, outgoing, relay } = exchange;
  if (!(Number(incoming.headers['content-length']) >= MIN_THREAD_BYTES)) return undefined;
  const { model, errands, errandTexts, endpoint } = relay.access;
  const { api, models } = endpoint;
  const reader = threads.open({
    access: { model, errands, errandTexts, endpoint: { api, models } },
    question,
  });
  outgoing.once('close', () => reader?.drop());
  return reader;
}

async function readWhole(
  access: RelayAccess,
  question: BodyQuestion,
  body: AsyncIterable<Buffer>,
): Promise<RelayedContent | undefined> {
  const judge = judgeBody(access, question, () => {});
  for await (const bytes of body) if (judge.write(bytes) !== undefined) return undefined;
  return judge.end() === undefined ? judge.readContent() : undefined;
}
