import type { OutputDelta, SessionEvent } from '@attache/contracts';
import { readEvents } from '@attache/database';
import type { IngestDeps } from '../ingest-deps.ts';

/** What one read brings at most. */
export const BATCH = 100;

/** What a feed keeps for followers that are a little behind: events, and characters of them. */
const KEPT_EVENTS = 200;
const KEPT_CHARACTERS = 256 * 1024;

/** Bells may be lost: so long after the last look a follower may ask for another one. */
const LOOK_AGAIN_MS = 15_000;

/** An event of the log as it is sent. */
export type SentEvent = { seq: number; text: string };

export type Follower = { onNews(): void; onDelta(text: string): void };

/** The log of one session for all who follow it in this process: one listens, one reads, and one writes down what is sent (BX-27). */
export type SessionFeed = {
  /** The next events after a seq, at most a batch; none where there is nothing new. A follower that has what others have costs no query of its own. */
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

export const formatEvent = (event: SessionEvent): string =>
  `id: ${event.seq}\nevent: ${event.kind}\ndata: ${JSON.stringify(event)}\n\n`;

// A delta has no id: it is not stored, and a reader that resumes does not get it again.
const formatDelta = (delta: OutputDelta): string => `event: agent.delta\ndata: ${JSON.stringify(delta)}\n\n`;

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

/** The newest events that were read, without a gap. `head` is the seq of the newest; undefined before the first read. */
function createTail() {
  let head: number | undefined;
  let events: SentEvent[] = [];
  return {
    get head() {
      return head;
    },
    /** Events after a seq that lies within; undefined where the database has to be asked. */
    after(seq: number): SentEvent[] | undefined {
      if (head === undefined || seq > head || seq < head - events.length) return undefined;
      return seq === head ? [] : events.slice(events.length - (head - seq)).slice(0, BATCH);
    },
    /** What the log holds after `seq`. What has a gap is not kept. */
    add(seq: number, added: readonly SentEvent[]): void {
      const end = added.at(-1)?.seq ?? seq;
      if (head !== undefined && end < head) return;
      const isGapless = end - seq === added.length;
      events = isGapless ? [...(seq === head ? events : []), ...added].slice(-KEPT_EVENTS) : [];
      head = end;
      let characters = events.reduce((sum, { text }) => sum + text.length, 0);
      while (characters > KEPT_CHARACTERS) characters -= events.shift()?.text.length ?? 0;
    },
  };
}

function openFeed({ db, doorbells }: Pick<IngestDeps, 'db' | 'doorbells'>, place: Place): SharedFeed {
  const followers = new Set<Follower>();
  const tail = createTail();
  let rings = 0;
  let seenRings = -1;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<SentEvent[]> | undefined;

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
  const onRing = () => {
    rings += 1;
    for (const follower of followers) follower.onNews();
  };
  const stopBell = doorbells.listen(`log:${place.sessionId}`, onRing);
  const stopDeltas = doorbells.listenDeltas(place.sessionId, (delta) => {
    const text = formatDelta(delta);
    for (const follower of followers) follower.onDelta(text);
  });
  return {
    followers,
    async readAfter(seq) {
      const kept = tail.after(seq);
      if (kept === undefined) return ask(seq);
      if (kept.length > 0 || seenRings === rings) return kept;
      // All who wait for the same news ask once.
      asking ??= ask(seq).finally(() => {
        asking = undefined;
      });
      // Others may have read on meanwhile.
      return (await asking).filter((event) => event.seq > seq);
    },
    lookAgain() {
      if (performance.now() - askedAt >= LOOK_AGAIN_MS - 100) seenRings = -1;
    },
    close() {
      stopBell();
      stopDeltas();
    },
  };
}
