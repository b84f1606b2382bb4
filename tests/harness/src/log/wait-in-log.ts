import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { SessionEvent } from '@attache/contracts';

// It ends a hang, and is no measure of anything.
const WAIT_MS = 120_000;
/** A stream that ended, or could not be opened, is opened again after this. */
const REOPEN_MS = 100;
/** Used if there is no log to follow. */
const POLL_MS = 200;

type Place = { url: string; apiKey: string };

export type LogWait = {
  api: Place;
  /** Without it, it looks again and again. */
  sessionId: string | undefined;
  /** For the error of a wait that came to nothing. */
  what: string;
  /** Which events make it look again. */
  isNews(event: SessionEvent): boolean;
  /** Gives up. */
  signal?: AbortSignal | undefined;
};

const pause = (ms: number) => new Promise((wake) => setTimeout(wake, ms));

/** Looks, and again after every event of the log that is news, until a look finds something. */
export async function waitInLog<T>(wait: LogWait, look: () => Promise<T | undefined>): Promise<T> {
  const timeout = AbortSignal.timeout(WAIT_MS);
  const end = wait.signal ? AbortSignal.any([timeout, wait.signal]) : timeout;
  while (!end.aborted) {
    const found = await (wait.sessionId === undefined ? look() : followOnce(wait, end, look));
    if (found !== undefined) return found;
    await pause(wait.sessionId === undefined ? POLL_MS : REOPEN_MS);
  }
  throw new Error(`${wait.what} did not come${timeout.aborted ? ` within ${WAIT_MS} ms` : ''}`);
}

/** Looks while one stream lasts. */
async function followOnce<T>(
  { api, sessionId, isNews }: LogWait,
  end: AbortSignal,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const leaving = new AbortController();
  const events = readLog(api, `${sessionId}`, AbortSignal.any([end, leaving.signal]));
  try {
    for (;;) {
      const next = await events.next().catch(() => ({ done: true, value: undefined }) as const);
      if (next.done) return undefined;
      if (next.value !== 'opened' && !isNews(next.value)) continue;
      const found = await look();
      if (found !== undefined) return found;
    }
  } finally {
    leaving.abort();
  }
}

/**
 * First says that it listens, so that nothing is missed between a look and the next event; then each event of the log. `fetch` would open
 * another connection when it leaves the stream, and a stack that stops would wait for that.
 */
async function* readLog(
  { url, apiKey }: Place,
  sessionId: string,
  signal: AbortSignal,
): AsyncGenerator<'opened' | SessionEvent, undefined> {
  const headers = { accept: 'text/event-stream', authorization: `Bearer ${apiKey}` };
  const request = get(`${url}/v1/sessions/${sessionId}/events`, { agent: false, headers, signal });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // The stream itself reports how it ends.
  request.on('error', () => undefined);
  yield 'opened';
  if (response.statusCode !== 200) return undefined;
  let rest = '';
  for await (const text of response.setEncoding('utf8')) {
    const frames = (rest + text).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      // A frame without an id is no event of the log.
      if (data !== undefined && /^id: /m.test(frame)) yield JSON.parse(data);
    }
  }
  return undefined;
}
