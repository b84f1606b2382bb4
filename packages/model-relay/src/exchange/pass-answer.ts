import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';
import { passAnswerHeaders } from './pass-headers.ts';
import { endWhenRead } from './send-refusal.ts';
import { watchAnswer } from './watch-answer.ts';

/** Passes an answer on as it comes, no faster than the program takes it. An answer that breaks off breaks the program's connection. */
export function passAnswer(exchange: Exchange, answer: IncomingMessage): void {
  const { incoming, outgoing, upstream, limits } = exchange;
  if (outgoing.destroyed || exchange.isAnswered) return void answer.destroy();
  exchange.firstByteMs = performance.now() - exchange.startedAtMs;
  const watch = watchAnswer(answer);
  exchange.answer = watch;
  exchange.touch();
  outgoing.writeHead(answer.statusCode ?? 0, answer.statusMessage, passAnswerHeaders(answer));
  // With the first bytes, if they are here already: an event stream may also begin long before its first event.
  setImmediate(() => outgoing.flushHeaders());
  answer.on('data', (chunk: Buffer) => {
    exchange.touch();
    exchange.responseBytes += chunk.length;
    watch.take(chunk);
    if (!outgoing.write(chunk)) answer.pause();
  });
  outgoing.on('drain', () => {
    exchange.touch();
    answer.resume();
  });
  answer.once('end', () => {
    exchange.isAnswered = true;
    // Of a body that has not ended yet the provider takes no more.
    if (!incoming.complete) upstream?.destroy();
    endWhenRead(exchange, limits.lingerMs);
  });
  answer.once('error', () => exchange.refuse('relay_provider_failed'));
}
