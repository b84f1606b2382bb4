import { BATCH } from './log-tail.ts';
import type { SessionFeeds } from './session-feeds.ts';

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
  heartbeatMs?: number | undefined;
};

/** Wakes a follower: at the doorbell of its log, a delta, the end of its reader, or the time of the next heartbeat. */
type Waker = {
  /** Resolves at the next wake, or at once if one came since `rearm`. */
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
          finish = undefined;
          resolve(how);
        };
        const timer = setTimeout(settle, timeoutMs, 'timeout');
        finish = () => {
          clearTimeout(timer);
          settle('woken');
        };
      }),
  };
}

/**
 * The session log as server-sent events: present events first, then new ones. Pulled by the reader: one that does not keep up makes
 * nothing grow, and loses token deltas first. A delta asks nothing of the database. Ends when the reader goes away, or its credential does.
 */
export async function* followEvents(feeds: SessionFeeds, request: FollowRequest): AsyncGenerator<string> {
  const { signal, isStillAdmitted, heartbeatMs = HEARTBEAT_MS } = request;
  let seq = request.afterSeq;
  // This clock is monotonic: the credential is checked in time even if the date of the machine is changed.
  let admittedAt = performance.now();
  const waker = createWaker();
  const deltas: string[] = [];
  const onDelta = (text: string) => {
    if (deltas.length < BATCH) deltas.push(text);
    waker.wake();
  };
  const feed = feeds.join(request, { onNews: waker.wake, onDelta });
  signal.addEventListener('abort', waker.wake);
  try {
    yield 'retry: 1000\n\n';
    while (!signal.aborted) {
      if (performance.now() - admittedAt >= heartbeatMs - 100) {
        if (!(await isStillAdmitted())) return;
        admittedAt = performance.now();
      }
      // Before it reads, so that a ring in between is not lost.
      waker.rearm();
      const events = await feed.readAfter(seq);
      const news = [...deltas.splice(0), ...events.map(({ text }) => text)].join('');
      seq = events.at(-1)?.seq ?? seq;
      if (news !== '') yield news;
      if (events.length > 0) continue;
      if ((await waker.wait(heartbeatMs)) === 'woken' || signal.aborted) continue;
      feed.lookAgain();
      yield ': still here\n\n';
    }
  } finally {
    signal.removeEventListener('abort', waker.wake);
    feed.leave();
  }
}
