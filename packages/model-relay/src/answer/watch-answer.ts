import type { IncomingMessage } from 'node:http';
import { readRetryAfter } from '../hold/retry-after.ts';
import type { ProviderAnswer } from '../relay-types.ts';
import { createEventHeads } from './event-heads.ts';

/** Limit for the kept part of a provider's refusal. */
const MAX_REFUSAL_BYTES = 64 * 1024;
/** The error that a provider sends instead of beginning: an event of its own name, or an object that holds nothing else. */
const ERROR_EVENT =
  /^event:\s*(?:error|response\.failed)\s*$|^data:\s*\{\s*"(?:error"|type"\s*:\s*"(?:error|response\.failed)")/m;
/** Events from before the model begins: OpenAI sends them before it has read the pictures. */
const EARLY = String.raw`(?:ping|response\.(?:created|queued|in_progress))`;
const EARLY_EVENT = new RegExp(String.raw`^event:\s*${EARLY}\s*$|^data:\s*\{\s*"type"\s*:\s*"${EARLY}"`, 'm');
const ERROR_BODY = /^\s*\[?\s*\{\s*"error"/;

export type AnswerWatch = { take(chunk: Buffer): void; end(): ProviderAnswer };

/** Looks on while an answer passes. */
export function watchAnswer({
  statusCode: status = 0,
  headers,
}: Pick<IncomingMessage, 'statusCode' | 'headers'>): AnswerWatch {
  const isRefusal = status >= 400;
  const isStream = /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
  const events = createEventHeads();
  let begun: boolean | undefined = status >= 200 && status < 300 ? undefined : false;
  let refusal: string | undefined;
  let kept = Buffer.alloc(0);

  function takeEvents(chunk: Buffer): void {
    for (const event of events.take(chunk)) {
      if (!/^data:/m.test(event) || EARLY_EVENT.test(event)) continue;
      begun = !ERROR_EVENT.test(event);
      if (!begun) refusal = readData(event);
      return;
    }
  }

  return {
    take(chunk) {
      if (isRefusal) kept = Buffer.concat([kept, chunk.subarray(0, MAX_REFUSAL_BYTES - kept.length)]);
      else if (begun === undefined && !isStream) begun = !ERROR_BODY.test(chunk.toString('latin1', 0, 64));
      else if (begun === undefined) takeEvents(chunk);
    },
    end() {
      const text = isRefusal ? kept.toString('utf8') : refusal;
      const retryAfterMs = isRefusal ? readRetryAfter({ headers }) : undefined;
      return {
        ...{ status, hasBegun: begun === true, refusal: text === undefined ? undefined : { status, text } },
        ...(retryAfterMs !== undefined && { retryAfterMs }),
      };
    },
  };
}

/** The object of an event, which may come in several lines. */
const readData = (event: string): string =>
  event
    .split(/\r\n|\r|\n/)
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trim())
    .join('\n');
