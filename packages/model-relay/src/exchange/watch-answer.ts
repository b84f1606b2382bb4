import type { IncomingMessage } from 'node:http';
import type { ProviderAnswer } from '../relay-types.ts';

/** What is kept of what a provider does not take. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** Of a larger event the beginning says enough: some repeat the whole request. */
const MAX_EVENT_BYTES = 16 * 1024;
const EVENT_END = /\r?\n\r?\n|\r\r/;
/** What a provider says instead of beginning: as an event of its own name, or as an object that is nothing else. */
const ERROR_EVENT =
  /^event:\s*(?:error|response\.failed)\s*$|^data:\s*\{\s*"(?:error"|type"\s*:\s*"(?:error|response\.failed)")/m;
const ERROR_BODY = /^\s*\[?\s*\{\s*"error"/;

export type AnswerWatch = { take(chunk: Buffer): void; end(): ProviderAnswer };

/** Looks on while an answer passes. */
export function watchAnswer({
  statusCode: status = 0,
  headers,
}: Pick<IncomingMessage, 'statusCode' | 'headers'>): AnswerWatch {
  const isRefusal = status >= 400;
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  let begun: boolean | undefined = status >= 200 && status < 300 ? undefined : false;
  let kept = Buffer.alloc(0);

  function takeEvents(): void {
    const events = kept.toString('utf8').split(EVENT_END);
    // The last one has not ended yet. Comments and pings come before a model begins.
    const ended = kept.length > MAX_EVENT_BYTES ? events : events.slice(0, -1);
    const first = ended.find((event) => /^data:/m.test(event) && !/^event:\s*ping\s*$/m.test(event));
    if (first !== undefined) begun = !ERROR_EVENT.test(first);
    else if (kept.length > MAX_EVENT_BYTES) begun = false;
  }

  return {
    take(chunk) {
      if (isRefusal) kept = Buffer.concat([kept, chunk.subarray(0, MAX_REFUSAL_BYTES - kept.length)]);
      else if (begun === undefined && !isStream) begun = !ERROR_BODY.test(chunk.toString('latin1', 0, 64));
      else if (begun === undefined) {
        kept = Buffer.concat([kept, chunk]);
        takeEvents();
        if (begun !== undefined) kept = Buffer.alloc(0);
      }
    },
    end: () => ({
      ...{ status, hasBegun: begun === true },
      refusal: isRefusal ? { status, text: kept.toString('utf8') } : undefined,
    }),
  };
}
