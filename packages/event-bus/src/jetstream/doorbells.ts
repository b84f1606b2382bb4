import {
  deltaSubjectOf,
  eventsSubjectOf,
  logBellSubjectOf,
  OWNERS_BELL_SUBJECT,
  outputDeltaSchema,
  type PublisherName,
} from '@attache/contracts';
import type { Msg } from '@nats-io/nats-core';
import { createLocalDoorbells, type Doorbells, type LocalDoorbells, OWNERS_DOORBELL } from '../doorbells.ts';
import { packEvents, readLiveEvents, readUpToSeq } from '../live-events.ts';
import type { JetstreamLink } from './link.ts';

/** Longer deltas reach the followers of this process alone; the log has their text. */
const MAX_DELTA_BYTES = 64 * 1024;
const LOG_DOORBELL = 'log:';

/**
 * Doorbells among processes: doorbells of session logs and of lost owners, token deltas and live events go over NATS; the doorbell of an outbox stays with the
 * relay of its process. Only sessions with a follower in this process are subscribed to, each once. A lost message costs time.
 */
export function createNatsDoorbells({ link, publisher }: { link: JetstreamLink; publisher: PublisherName }): Doorbells {
  const local = createLocalDoorbells({ isAtOnce: true });
  const follow = createFollowing(link);
  const eventsSubject = publisher === 'runner-gateway' ? deltaSubjectOf : eventsSubjectOf;
  const followLive = (sessionId: string) =>
    endBoth(
      follow(deltaSubjectOf(sessionId), (message) => hearLive(local, sessionId, message)),
      follow(eventsSubjectOf(sessionId), (message) => hearEvents(local, sessionId, message)),
    );
  return {
    ring(rungNames) {
      const rung = [...rungNames];
      local.ring(rung);
      for (const doorbell of rung) if (isFar(doorbell)) sendFar(link, () => publish(link, farSubjectOf(doorbell)));
    },
    listen(doorbell, onRing) {
      const stopLocal = local.listen(doorbell, onRing);
      if (!isFar(doorbell)) return stopLocal;
      const unfollow = follow(farSubjectOf(doorbell), ({ data }) => local.ring([doorbell], readUpToSeq(data)));
      return endBoth(stopLocal, unfollow);
    },
    sendDelta(sessionId, delta) {
      local.sendDelta(sessionId, delta);
      const payload = JSON.stringify(delta);
      if (Buffer.byteLength(payload) <= MAX_DELTA_BYTES) publish(link, deltaSubjectOf(sessionId), payload);
    },
    listenDeltas(sessionId, onDelta) {
      const stopLocal = local.listenDeltas(sessionId, onDelta);
      return endBoth(stopLocal, followLive(sessionId));
    },
    sendEvents(sessionId, live) {
      local.sendEvents(sessionId, live);
      sendFar(link, () => {
        for (const payload of packEvents(live)) publish(link, eventsSubject(sessionId), payload);
        publish(link, logBellSubjectOf(sessionId), String(live.events.at(-1)?.seq ?? ''));
      });
    },
    listenEvents(sessionId, onEvents) {
      const stopLocal = local.listenEvents(sessionId, onEvents);
      return endBoth(stopLocal, followLive(sessionId));
    },
  };
}

const isFar = (doorbell: string): boolean => doorbell === OWNERS_DOORBELL || doorbell.startsWith(LOG_DOORBELL);

const farSubjectOf = (doorbell: string): string =>
  doorbell === OWNERS_DOORBELL ? OWNERS_BELL_SUBJECT : logBellSubjectOf(doorbell.slice(LOG_DOORBELL.length));

function endBoth(first: () => void, second: () => void): () => void {
  return () => {
    first();
    second();
  };
}

// The caller has committed already: an id that may not be part of a subject is logged, not thrown.
function sendFar(link: JetstreamLink, send: () => void): void {
  try {
    send();
  } catch (error) {
    link.log.error({ err: error }, 'bell.refused');
  }
}

// Without a connection it would be kept and sent much later.
function publish(link: JetstreamLink, subject: string, payload?: string): void {
  if (link.isConnected() && !link.nc.isClosed() && !link.nc.isDraining()) link.nc.publish(subject, payload);
}

/** Deltas and events of a session's owner come by one subject, and so in the order in which it sent them. */
function hearLive(local: LocalDoorbells, sessionId: string, { data }: Msg): void {
  const sent = parseJson(data);
  const live = readLiveEvents(sent);
  const delta = live ? undefined : outputDeltaSchema.safeParse(sent);
  if (live) local.feedEvents(sessionId, live);
  if (delta?.success) local.sendDelta(sessionId, delta.data);
}

/** Handles events from another process, which may send no deltas. */
function hearEvents(local: LocalDoorbells, sessionId: string, { data }: Msg): void {
  const live = readLiveEvents(parseJson(data));
  if (live) local.feedEvents(sessionId, live);
}

function parseJson(data: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(data));
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
