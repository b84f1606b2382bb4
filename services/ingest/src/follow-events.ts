import type { OutputDelta, SessionEvent } from '@attache/contracts';
import { readEvents } from '@attache/database';
import type { IngestDeps } from './ingest-deps.ts';
import { waitForLog } from './wait-for-inspection.ts';

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

/**
 * The session log as server-sent events: what is there, then what comes. Pulled by the reader: one that does not keep up makes
 * nothing grow, and loses token deltas first. Ends when the reader goes away, or its credential does.
 */
export async function* followEvents(
  deps: Pick<IngestDeps, 'db' | 'doorbells'>,
  { tenantId, sessionId, afterSeq, signal, isStillAdmitted }: FollowRequest,
): AsyncGenerator<string> {
  let seq = afterSeq;
  let admittedAt = Date.now();
  const deltas: OutputDelta[] = [];
  let woken = new AbortController();
  const stopDeltas = deps.doorbells.listenDeltas(sessionId, (delta) => {
    if (deltas.length < BATCH) deltas.push(delta);
    woken.abort();
  });
  try {
    yield 'retry: 1000\n\n';
    while (!signal.aborted) {
      if (Date.now() - admittedAt >= HEARTBEAT_MS - 100) {
        if (!(await isStillAdmitted())) return;
        admittedAt = Date.now();
      }
      // Listens before it reads, so that a ring in between is not lost.
      woken = new AbortController();
      const rung = waitForLog(deps, sessionId, HEARTBEAT_MS, AbortSignal.any([signal, woken.signal]));
      const events = await deps.db.readAsTenant(tenantId, (tx) =>
        readEvents(tx, { sessionId, afterSeq: seq, limit: BATCH }),
      );
      const news = [...deltas.splice(0).map(formatDelta), ...events.map(formatEvent)].join('');
      seq = events.at(-1)?.seq ?? seq;
      if (news !== '') yield news;
      if (events.length === BATCH) continue;
      const startedAt = Date.now();
      await rung;
      if (Date.now() - startedAt >= HEARTBEAT_MS - 100 && !signal.aborted) yield ': still here\n\n';
    }
  } finally {
    stopDeltas();
  }
}
