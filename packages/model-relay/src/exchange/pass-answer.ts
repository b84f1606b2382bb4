import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createChunkJoiner } from '../answer/join-chunks.ts';
import { createKeyMask } from '../answer/mask-key.ts';
import { watchAnswer } from '../answer/watch-answer.ts';
import { isLimited, readRetryAfter } from '../hold/retry-after.ts';
import { watchUsage } from '../usage/watch-usage.ts';
import type { Exchange } from './exchange.ts';
import { passAnswerHeaders } from './pass-headers.ts';
import { endWhenRead } from './send-refusal.ts';

/** An answer of a provider, whose beginning may have been read before. */
export type PassedAnswer = Readable & Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'headers' | 'rawHeaders'>;

/** Passes an answer on as it comes, no faster than the program takes it. An answer that breaks off breaks the program's connection. */
export function passAnswer(exchange: Exchange, answer: PassedAnswer, key: string | undefined): void {
  const { incoming, outgoing, upstream, limits, relay } = exchange;
  if (outgoing.destroyed || exchange.isAnswered) return void answer.destroy();
  if (isEncoded(answer)) {
    answer.destroy();
    exchange.refuse('relay_provider_failed');
    return;
  }
  const mask = createKeyMask(key);
  exchange.firstByteMs ??= performance.now() - exchange.startedAtMs;
  const watch = watchAnswer(answer);
  exchange.answer = watch;
  tellOthers(exchange, answer);
  if (exchange.kind === 'generate' && isGood(answer)) exchange.usage = watchUsage(relay.access.endpoint.api, answer);
  exchange.touch();
  const { statusCode = 0, statusMessage = '' } = answer;
  outgoing.writeHead(statusCode, mask.maskHeader(statusMessage), passAnswerHeaders(answer).map(mask.maskHeader));
  // With the first bytes, if they are here already: an event stream may also begin long before its first event.
  setImmediate(() => outgoing.flushHeaders());
  const pass = (bytes: Buffer): void => {
    exchange.touch();
    if (bytes.length === 0) return;
    exchange.responseBytes += bytes.length;
    watch.take(bytes);
    if (!outgoing.destroyed && !outgoing.write(bytes)) answer.pause();
    exchange.usage?.take(bytes);
  };
  const joiner = createChunkJoiner((bytes) => pass(mask.take(bytes)));
  answer.on('data', joiner.take);
  outgoing.on('drain', () => {
    exchange.touch();
    answer.resume();
  });
  answer.once('end', () => {
    joiner.flush();
    pass(mask.end());
    exchange.isAnswered = true;
    // If the body has not ended yet, the provider takes no more of it.
    if (!incoming.complete || upstream?.writableEnded === false) upstream?.destroy();
    endWhenRead(exchange, limits.lingerMs);
  });
  answer.once('error', () => {
    joiner.flush();
    exchange.refuse('relay_provider_failed');
  });
}

/** A provider that takes no more under a key is asked no more under it until the time that it says. The program gets its answer as it is. */
export function tellOthers({ pass }: Exchange, answer: PassedAnswer): void {
  pass?.settle(isLimited(answer.statusCode) ? { as: 'limited', waitMs: readRetryAfter(answer) } : { as: 'answered' });
}

/** Nobody asked for that: neither its key nor the provider's counts could be found in it. */
export const isEncoded = ({ headers }: PassedAnswer): boolean =>
  !/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '');

const isGood = ({ statusCode = 0 }: PassedAnswer): boolean => statusCode >= 200 && statusCode < 300;
