import { EventEmitter } from 'node:events';
import type { OutputDelta } from '@attache/contracts';

/** Wakes whoever waits for something in the database. A lost ring costs time, never data: every listener also has a timer. */
export interface Doorbells {
  ring(bells: Iterable<string>): void;
  /** Answers a function that stops listening. */
  listen(bell: string, onRing: () => void): () => void;
  /** Passes a token delta to whoever follows the session now. Never stored; may be lost. */
  sendDelta(sessionId: string, delta: OutputDelta): void;
  listenDeltas(sessionId: string, onDelta: (delta: OutputDelta) => void): () => void;
}

/**
 * Doorbells inside one process. Rings are heard after the turn in which they come, where one process does all the work: a request is
 * answered before its consequences are looked at. With `isAtOnce` whoever listens begins in the same turn.
 */
export function createLocalDoorbells({ isAtOnce = false } = {}): Doorbells {
  const emitter = new EventEmitter();
  // One listener per follower of a log: their number is bounded by the open connections.
  emitter.setMaxListeners(0);
  return {
    ring(bells) {
      const rung = [...bells];
      const wake = () => {
        for (const bell of rung) emitter.emit(`bell:${bell}`);
      };
      if (isAtOnce) wake();
      else setImmediate(wake);
    },
    listen(bell, onRing) {
      emitter.on(`bell:${bell}`, onRing);
      return () => emitter.off(`bell:${bell}`, onRing);
    },
    sendDelta(sessionId, delta) {
      emitter.emit(`delta:${sessionId}`, delta);
    },
    listenDeltas(sessionId, onDelta) {
      emitter.on(`delta:${sessionId}`, onDelta);
      return () => emitter.off(`delta:${sessionId}`, onDelta);
    },
  };
}
