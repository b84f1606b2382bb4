import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { createKeyMask } from '../answer/mask-key.ts';
import { watchAnswer } from '../answer/watch-answer.ts';
import type { RelayedContent } from '../content/content-types.ts';
import type { ProviderAnswer, Replacement, Replacements } from '../relay-types.ts';
import { markReplaced, planSplices, type Splice } from '../splice/plan-splices.ts';
import type { Exchange } from './exchange.ts';
import { isEncoded, type PassedAnswer, tellOthers } from './pass-answer.ts';

/** Statuses that may name a part of the request. */
const OF_CONTENT = [400, 415, 422];
/** A longer refusal is not read whole, and passes. */
const MAX_REFUSAL_BYTES = 64 * 1024;

/** A body that is still at hand, as it was sent. */
export type SentBody = {
  readonly content: RelayedContent;
  readonly replacements: Replacements;
  readonly splices: readonly Splice[];
};

/** The answer for the program; undefined: the request was reported as refused, and is to be sent again without the parts that the refusal names. */
export async function mendRefusal(
  exchange: Exchange,
  body: SentBody,
  answer: IncomingMessage,
  key: string | undefined,
): Promise<PassedAnswer | undefined> {
  // A provider that refuses before it has the whole body may take no more of it.
  if (!exchange.hasLeft || !OF_CONTENT.includes(answer.statusCode ?? 0) || isEncoded(answer)) return answer;
  exchange.firstByteMs = performance.now() - exchange.startedAtMs;
  const { told, sizeBytes, whole } = await readBeginning(answer, key);
  if (exchange.outgoing.destroyed || exchange.isAnswered || !canReplace(exchange, body, told)) return whole;
  Object.assign(exchange, { answer: { take: () => {}, end: () => told }, responseBytes: sizeBytes });
  tellOthers(exchange, whole);
  exchange.renew();
  return undefined;
}

function canReplace({ model, relay }: Exchange, { content, replacements, splices }: SentBody, answer: ProviderAnswer) {
  const sent = { ...content, blocks: markReplaced(content.blocks, splices) };
  const named = relay.access.mending?.listNamed({ model, content: sent, answer }) ?? [];
  const more = new Map<string, Replacement>([
    ...replacements,
    ...named.map((digest) => [digest, { text: '' }] as const),
  ]);
  return planSplices(content.blocks, more).length > splices.length;
}

/** Reads an answer to its end or its limit; `told` has no key in it. `whole` is the same answer, to be read from its beginning. */
async function readBeginning(answer: IncomingMessage, key: string | undefined) {
  const mask = createKeyMask(key);
  const watch = watchAnswer(answer);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  let failed: unknown;
  try {
    for await (const chunk of answer.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      watch.take(mask.take(Buffer.from(chunk)));
      sizeBytes += chunk.length;
      if (sizeBytes > MAX_REFUSAL_BYTES) break;
    }
  } catch (error) {
    failed = error;
  }
  watch.take(mask.end());
  async function* readWhole() {
    yield* chunks;
    if (failed !== undefined) throw failed;
    if (!answer.readableEnded) yield* answer as AsyncIterable<Buffer>;
  }
  const { statusCode, statusMessage, headers, rawHeaders } = answer;
  const whole = Object.assign(Readable.from(readWhole()), { statusCode, statusMessage, headers, rawHeaders });
  return { told: watch.end(), sizeBytes, whole };
}
