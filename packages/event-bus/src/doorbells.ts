import { EventEmitter } from 'node:events';
import type { LiveEvents, OutputDelta } from '@attache/contracts';

/** Wakes the gateways: sessions have lost their owner. */
export const OWNERS_DOORBELL = 'owners';

/** Wakes code that waits for something in the database. A lost ring costs time, never data: every listener also has a timer. */
export interface Doorbells {
  ring(rungNames: Iterable<string>): void;
  /** Returns a function that stops listening. `upToSeq`: the ring of a session's log is about events up to this seq; undefined: about any. */
  listen(doorbell: string, onRing: (upToSeq?: number) => void): () => void;
  /** Passes a token delta to the present followers of the session. Never stored; may be lost. */
  sendDelta(sessionId: string, delta: OutputDelta): void;
  listenDeltas(sessionId: string, onDelta: (delta: OutputDelta) => void): () => void;
  /** Passes events that were just committed to the present followers of the session, then rings the doorbell of its log. Never stored; may be lost. */
  sendEvents(sessionId: string, live: LiveEvents): void;
  listenEvents(sessionId: string, onEvents: (live: LiveEvents) => void): () => void;
}

/** As processes hear them: rings of other processes come with what they are about. */
export interface LocalDoorbells extends Doorbells {
  ring(rungNames: Iterable<string>, upToSeq?: number): void;
  /** The same as `sendEvents`, without the doorbell. */
  feedEvents(sessionId: string, live: LiveEvents): void;
}

/**
 * Doorbells inside one process. If one process does all the work, listeners run after the turn in which a ring comes: a request gets its response before its
 * consequences are processed. With `isAtOnce` listeners begin in the same turn.
 */
export function createLocalDoorbells({ isAtOnce = false } = {}): LocalDoorbells {
  const emitter = new EventEmitter();
  // One listener per follower of a log: their number is bounded by the open connections.
  emitter.setMaxListeners(0);
  const later = (wake: () => void) => void (isAtOnce ? wake() : setImmediate(wake));
  const feedEvents = (sessionId: string, live: LiveEvents) => void emitter.emit(`events:${sessionId}`, live);
  return {
    ring(rungNames, upToSeq) {
      const rung = [...rungNames];
      later(() => {
        for (const doorbell of rung) emitter.emit(`bell:${doorbell}`, upToSeq);
      });
    },
    listen(doorbell, onRing) {
      emitter.on(`bell:${doorbell}`, onRing);
      return () => emitter.off(`bell:${doorbell}`, onRing);
    },
    sendDelta(sessionId, delta) {
      emitter.emit(`delta:${sessionId}`, delta);
    },
    listenDeltas(sessionId, onDelta) {
      emitter.on(`delta:${sessionId}`, onDelta);
      return () => emitter.off(`delta:${sessionId}`, onDelta);
    },
    sendEvents(sessionId, live) {
      later(() => {
        feedEvents(sessionId, live);
        emitter.emit(`bell:log:${sessionId}`, live.events.at(-1)?.seq);
      });
    },
    listenEvents(sessionId, onEvents) {
      emitter.on(`events:${sessionId}`, onEvents);
      return () => emitter.off(`events:${sessionId}`, onEvents);
    },
    feedEvents,
  };
}
