import { deltaSubjectOf, logBellSubjectOf, type OutputDelta, outputDeltaSchema } from '@attache/contracts';
import type { Msg } from '@nats-io/nats-core';
import { createLocalDoorbells, type Doorbells } from '../doorbells.ts';
import type { JetstreamLink } from './link.ts';

/** Longer deltas reach the followers of this process alone; the log has their text. */
const MAX_DELTA_BYTES = 64 * 1024;
const LOG_BELL = 'log:';

/**
 * Doorbells among processes: bells of session logs and token deltas go over NATS, what waits in an outbox stays with the relay of its
 * process. Only sessions that somebody here follows are subscribed to, each once. What is lost costs time.
 */
export function createNatsDoorbells({ link }: { link: JetstreamLink }): Doorbells {
  const local = createLocalDoorbells({ isAtOnce: true });
  const follow = createFollowing(link);
  return {
    ring(bells) {
      const rung = [...bells];
      local.ring(rung);
      for (const bell of rung) if (bell.startsWith(LOG_BELL)) ringFar(link, bell.slice(LOG_BELL.length));
    },
    listen(bell, onRing) {
      const stopLocal = local.listen(bell, onRing);
      if (!bell.startsWith(LOG_BELL)) return stopLocal;
      const unfollow = follow(logBellSubjectOf(bell.slice(LOG_BELL.length)), () => local.ring([bell]));
      return endBoth(stopLocal, unfollow);
    },
    sendDelta(sessionId, delta) {
      local.sendDelta(sessionId, delta);
      const payload = JSON.stringify(delta);
      if (Buffer.byteLength(payload) <= MAX_DELTA_BYTES) publish(link, deltaSubjectOf(sessionId), payload);
    },
    listenDeltas(sessionId, onDelta) {
      const stopLocal = local.listenDeltas(sessionId, onDelta);
      const unfollow = follow(deltaSubjectOf(sessionId), (message) => {
        const delta = readDelta(message);
        if (delta) local.sendDelta(sessionId, delta);
      });
      return endBoth(stopLocal, unfollow);
    },
  };
}

function endBoth(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

// Whoever rings has committed: an id that may not be part of a subject is said in the log, not thrown.
function ringFar(link: JetstreamLink, sessionId: string): void {
  try {
    publish(link, logBellSubjectOf(sessionId));
  } catch (error) {
    link.log.error({ err: error }, 'bell.refused');
  }
}

// Without a connection it would be kept and sent much later.
function publish(link: JetstreamLink, subject: string, payload?: string): void {
  if (link.isConnected() && !link.nc.isClosed() && !link.nc.isDraining()) link.nc.publish(subject, payload);
}

function readDelta({ data }: Msg): OutputDelta | undefined {
  try {
    const parsed = outputDeltaSchema.safeParse(JSON.parse(new TextDecoder().decode(data)));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Subscribes while at least one listens. */
function createFollowing({ nc }: JetstreamLink) {
  const followed = new Map<string, { listeners: number; unsubscribe: () => void }>();
  return (subject: string, onMessage: (message: Msg) => void): (() => void) => {
    const known = followed.get(subject);
    if (known) {
      known.listeners += 1;
    } else {
      const callback = (error: Error | null, message: Msg) => (error ? undefined : onMessage(message));
      const subscription = nc.subscribe(subject, { callback });
      followed.set(subject, { listeners: 1, unsubscribe: () => subscription.unsubscribe() });
    }
    let isListening = true;
    return () => {
      const entry = followed.get(subject);
      if (!isListening || !entry) return;
      isListening = false;
      entry.listeners -= 1;
      if (entry.listeners > 0) return;
      followed.delete(subject);
      if (!nc.isClosed()) entry.unsubscribe();
    };
  };
}
