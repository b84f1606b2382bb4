import type { OutputDelta, SessionEvent } from '@attache/contracts';
import { readEvents } from '@attache/database';
import type { IngestDeps } from '../ingest-deps.ts';

const BATCH = 100;
/** A comment line at least this often, so that proxies keep the connection. */
const HEARTBEAT_MS = 15_000;

type FollowRequest = {
  tenantId: string;
  sessionId: string;
  afterSeq: number;
  /** Aborted when the reader goes away. */
  signal: AbortSignal;
  /** Asked at every heartbeat: a credential may end while its reader stays. */
  isStillAdmitted(): Promise<boolean>;
};

const formatEvent = (event: SessionEvent): string =>
  `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;

// A delta has no id: it is not stored, and a reader that resumes does not get it again.
const formatDelta = (delta: OutputDelta): string => `event: agent.delta\ndata: ${JSON.stringify(delta)}\n\n`;

/** What wakes a follower: the bell of its log, a delta, the end of its reader, or the time of the next heartbeat. */
type Waker = {
  /** Resolves at the next wake, or at once where one came since `rearm`. */
  wait(timeoutMs: number): Promise<'woken' | 'timeout'>;
  rearm(): void;
  wake(): void;
};

function createWaker(): Waker {
  let isWoken = false;
  let finish: (() => void) | undefined;
  return {
    rearm() {
      isWoken = false;
    },
    wake() {
      isWoken = true;
      finish?.();
    },
    wait: (timeoutMs) =>
      new Promise((resolve) => {
        if (isWoken) return resolve('woken');
        const settle = (how: 'woken' | 'timeout') => {
          clearTimeout(timer);
          finish = undefined;
          resolve(how);
        };
        const timer = setTimeout(() => settle('timeout'), timeoutMs);
        finish = () => settle('woken');
      }),
  };
}

/** Listens until the reader goes away: once for a whole stream, since every listening costs the broker a subscription. */
function listenToSession(
  { doorbells }: Pick<IngestDeps, 'doorbells'>,
  { sessionId, signal }: FollowRequest,
  waker: Waker,
  deltas: OutputDelta[],
): () => void {
  const stopBell = doorbells.listen(`log:${sessionId}`, waker.wake);
  const stopDeltas = doorbells.listenDeltas(sessionId, (delta) => {
    if (deltas.length < BATCH) deltas.push(delta);
    waker.wake();
  });
  signal.addEventListener('abort', waker.wake);
  return () => {
    stopBell();
    stopDeltas();
    signal.removeEventListener('abort', waker.wake);
  };
}

/**
 * The session log as server-sent events: what is there, then what comes. Pulled by the reader: one that does not keep up makes
 * nothing grow, and loses token deltas first. Ends when the reader goes away, or its credential does.
 */
export async function* followEvents(
  deps: Pick<IngestDeps, 'db' | 'doorbells'>,
  request: FollowRequest,
): AsyncGenerator<string> {
  const { tenantId, sessionId, signal, isStillAdmitted } = request;
  let seq = request.afterSeq;
  // By a clock that nobody sets: the credential is asked about in time whatever day it becomes.
  let admittedAt = performance.now();
  const deltas: OutputDelta[] = [];
  const waker = createWaker();
  const stopListening = listenToSession(deps, request, waker, deltas);
  try {
    yield 'retry: 1000\n\n';
    while (!signal.aborted) {
      if (performance.now() - admittedAt >= HEARTBEAT_MS - 100) {
        if (!(await isStillAdmitted())) return;
        admittedAt = performance.now();
      }
      // Before it reads, so that a ring in between is not lost.
      waker.rearm();
      const events = await readEvents(deps.db, { tenantId, sessionId, afterSeq: seq, limit: BATCH });
      const news = [...deltas.splice(0).map(formatDelta), ...events.map(formatEvent)].join('');
      seq = events.at(-1)?.seq ?? seq;
      if (news !== '') yield news;
      if (events.length === BATCH) continue;
      if ((await waker.wait(HEARTBEAT_MS)) === 'timeout' && !signal.aborted) yield ': still here\n\n';
    }
  } finally {
    stopListening();
  }
}
