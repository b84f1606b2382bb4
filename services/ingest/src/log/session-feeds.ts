import type { LiveEvents, OutputDelta, SessionEvent, StreamedDelta } from '@attache/contracts';
import { readEvents } from '@attache/database';
import type { IngestDeps } from '../ingest-deps.ts';
import { BATCH, createTail, type SentEvent } from './log-tail.ts';
import { createTeller, type Follower, type Teller } from './tell-followers.ts';

/** Doorbells may be lost: so long after the last look a follower may ask for another one. */
const LOOK_AGAIN_MS = 15_000;

/**
 * The log of one session for all who follow it in this process: one listens, one reads, and one writes down what is sent (BX-27). What the owner of the
 * session commits comes live and costs no read, unless something before it is missing here.
 */
export type SessionFeed = {
  /** The next events after a seq, at most a batch; none if there is nothing new. A follower that is as far as others costs no query of its own. */
  readAfter(seq: number): Promise<SentEvent[]>;
  /** Makes the next read ask the database, unless it was asked just now. */
  lookAgain(): void;
  leave(): void;
};

export type SessionFeeds = {
  join(place: { tenantId: string; sessionId: string }, follower: Follower): SessionFeed;
};

type Place = { tenantId: string; sessionId: string };
type SharedFeed = Omit<SessionFeed, 'leave'> & { followers: Set<Follower>; close(): void };

const formatEvent = (event: SessionEvent): string =>
  `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;

// A delta has no id: it is not stored, and a reader that resumes does not get it again.
function formatDelta(delta: OutputDelta): string {
  const streamed: StreamedDelta = { kind: 'agent.delta', ...delta };
  return `event: ${streamed.kind}\ndata: ${JSON.stringify(streamed)}\n\n`;
}

export function createSessionFeeds(deps: Pick<IngestDeps, 'db' | 'doorbells'>): SessionFeeds {
  const feeds = new Map<string, SharedFeed>();
  return {
    join(place, follower) {
      const name = `${place.tenantId}/${place.sessionId}`;
      const feed = feeds.get(name) ?? openFeed(deps, place);
      feeds.set(name, feed);
      feed.followers.add(follower);
      return {
        readAfter: feed.readAfter,
        lookAgain: feed.lookAgain,
        leave() {
          feed.followers.delete(follower);
          if (feed.followers.size > 0 || feeds.get(name) !== feed) return;
          feeds.delete(name);
          feed.close();
        },
      };
    },
  };
}

type Heard = { teller: Teller; tail: ReturnType<typeof createTail>; onMissing(): void };

/** Takes live events into the tail, and reports when the database has to be asked. Returns the function that ends it. */
function listenToLog(doorbells: IngestDeps['doorbells'], place: Place, { teller, tail, onMissing }: Heard): () => void {
  const onRing = (upToSeq?: number) => {
    if (upToSeq !== undefined && tail.head !== undefined && upToSeq <= tail.head) return;
    onMissing();
    teller.noteNews();
  };
  const onEvents = ({ tenantId, events }: LiveEvents) => {
    if (tenantId !== place.tenantId) return;
    const outcomes = events.map((event) => tail.offer(event.seq, () => formatEvent(event)));
    if (outcomes.includes('gap')) onMissing();
    if (outcomes.some((outcome) => outcome !== 'known')) teller.noteNews();
  };
  const stopBell = doorbells.listen(`log:${place.sessionId}`, onRing);
  const stopEvents = doorbells.listenEvents(place.sessionId, onEvents);
  const stopDeltas = doorbells.listenDeltas(place.sessionId, (delta) => teller.noteDelta(formatDelta(delta)));
  return () => {
    stopBell();
    stopEvents();
    stopDeltas();
  };
}

function openFeed({ db, doorbells }: Pick<IngestDeps, 'db' | 'doorbells'>, place: Place): SharedFeed {
  const followers = new Set<Follower>();
  const tail = createTail();
  let rings = 0;
  let seenRings = -1;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: { rings: number; events: Promise<SentEvent[]> } | undefined;

  /** Reads after a seq. Where that is the end of the log, the tail ends there too. */
  const ask = async (seq: number): Promise<SentEvent[]> => {
    // Before it reads, so that a ring in between is not lost.
    const before = rings;
    const read = await readEvents(db, { ...place, afterSeq: seq, limit: BATCH });
    const events = read.map((event) => ({ seq: event.seq, text: formatEvent(event) }));
    if (events.length === BATCH && seq !== tail.head) return events;
    tail.add(seq, events);
    askedAt = performance.now();
    if (events.length < BATCH) seenRings = before;
    return events;
  };
  const onMissing = () => {
    rings += 1;
  };
  const close = listenToLog(doorbells, place, { teller: createTeller(followers), tail, onMissing });
  return {
    followers,
    async readAfter(seq) {
      const kept = tail.after(seq);
      if (kept === undefined) return ask(seq);
      if (kept.length > 0 || seenRings === rings) return kept;
      // All who wait for the same news ask once. A read that began before the last ring may not have seen its events.
      if (asking?.rings !== rings) asking = { rings, events: ask(seq) };
      const { events } = asking;
      try {
        // Others may have read on meanwhile.
        return (await events).filter((event) => event.seq > seq);
      } finally {
        if (asking?.events === events) asking = undefined;
      }
    },
    lookAgain() {
      if (performance.now() - askedAt >= LOOK_AGAIN_MS - 100) seenRings = -1;
    },
    close,
  };
}
