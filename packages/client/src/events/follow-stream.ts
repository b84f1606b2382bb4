import { AttacheError } from '../errors/attache-error.ts';
import { createBackOff, isWorthRepeating } from '../request/keep-trying.ts';
import { pause, waitUntilOnline } from '../request/pause.ts';
import { describeFailedFetch, type Requester } from '../request/requester.ts';
import { createSseParser, type SseBlock } from './parse-sse.ts';

/** The server sends at least a comment every 15 seconds. A stream that is silent for three of these is dead. */
const SILENCE_MS = 45_000;

export type FollowStatus = 'connecting' | 'open' | 'waiting';

export type FollowOptions = {
  /** The seq after which to begin; the beginning of the log without it. */
  after?: number | undefined;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /** Called when the stream is opened, is open, or waits before it is opened again. */
  onStatus?: ((status: FollowStatus) => void) | undefined;
};

type Following = { requester: Requester; path: string; silenceMs?: number };

/**
 * Follows a live log for as long as it is read. A stream that breaks, ends or falls silent is opened again after the last seq that was seen. Throws
 * an `AttacheError` where opening it again cannot help: the session is gone, or a right is missing.
 */
export async function* followStream<T>(
  following: Following,
  options: FollowOptions = {},
): AsyncGenerator<T, void, undefined> {
  const { signal, onStatus = () => {} } = options;
  const stream = new AbortController();
  const onAbort = () => stream.abort(signal?.reason);
  signal?.addEventListener('abort', onAbort);
  if (signal?.aborted) onAbort();
  const backOff = createBackOff({ isEndless: true });
  let lastId = options.after === undefined ? undefined : String(options.after);
  try {
    while (!stream.signal.aborted) {
      let failure: AttacheError | undefined;
      try {
        await waitUntilOnline(stream.signal);
        onStatus('connecting');
        for await (const { id, data } of readBlocks(following, lastId, stream.signal, onStatus)) {
          if (id !== undefined) lastId = id;
          if (id !== undefined || data !== undefined) backOff.reset();
          if (data !== undefined) yield JSON.parse(data) as T;
        }
      } catch (error) {
        failure = assertWorthRepeating(error, stream.signal);
      }
      onStatus('waiting');
      await pause(backOff.next(failure) ?? 0, stream.signal);
    }
  } catch (error) {
    if (!stream.signal.aborted) throw error;
  } finally {
    signal?.removeEventListener('abort', onAbort);
    stream.abort();
  }
}

function assertWorthRepeating(error: unknown, signal: AbortSignal): AttacheError {
  if (error instanceof AttacheError && isWorthRepeating(error)) return error;
  if (error instanceof SyntaxError && !signal.aborted) {
    throw new AttacheError('ANSWER_UNREADABLE', 'The stream holds something else than events.', { cause: error });
  }
  throw error;
}

async function* readBlocks(
  { requester, path, silenceMs = SILENCE_MS }: Following,
  lastId: string | undefined,
  signal: AbortSignal,
  onStatus: (status: FollowStatus) => void,
): AsyncGenerator<SseBlock> {
  const connection = new AbortController();
  const end = () => connection.abort();
  signal.addEventListener('abort', end);
  let silence = setTimeout(end, silenceMs);
  try {
    const headers = { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) };
    const response = await requester.open({ path, headers, signal: connection.signal });
    onStatus('open');
    const parse = createSseParser();
    const decoder = new TextDecoder();
    for await (const bytes of readChunks(response, connection.signal)) {
      clearTimeout(silence);
      for (const block of parse(decoder.decode(bytes, { stream: true }))) yield block;
      silence = setTimeout(end, silenceMs);
    }
  } catch (cause) {
    // Its own end is a broken stream, not a wish of the caller.
    if (cause instanceof AttacheError && cause.code !== 'REQUEST_ABORTED') throw cause;
    throw describeFailedFetch(cause, signal);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', end);
    connection.abort();
  }
}

// Not every browser iterates over a stream by itself.
async function* readChunks({ body }: Response, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader();
  if (!reader) return;
  // Also for a given fetch that looks at the signal no more once it has answered.
  const end = () => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', end);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', end);
    reader.releaseLock();
  }
}
