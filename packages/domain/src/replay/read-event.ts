import {
  type EventData,
  type EventKind,
  eventDataSchemas,
  eventRules,
  type SessionEvent,
  type ShownKind,
  type UnreadableReason,
} from '@attache/contracts';
import { type EventLift, eventLifts, liftEvent } from './lift-event.ts';

/** An event as a log holds it. A later release may have written it: its kind and data are not known to be any of ours. */
export type StoredEvent = Pick<SessionEvent, 'seq' | 'at' | 'actor' | 'schemaVersion' | 'data'> & { kind: string };

export type EventFrame = Pick<StoredEvent, 'seq' | 'at' | 'actor'>;

/** An event that a fold shows, as this release writes it. */
export type KnownEvent = { [K in ShownKind]: EventFrame & { kind: K; data: EventData<K> } }[ShownKind];

/** One that this release cannot read. */
export type UnreadableEvent = EventFrame & {
  kind: 'unreadable';
  storedKind: string;
  schemaVersion: number;
  reason: UnreadableReason;
};

export type ReadEvent = KnownEvent | UnreadableEvent;

const isKnown = (kind: string): kind is EventKind => Object.hasOwn(eventDataSchemas, kind);
const isShown = (kind: EventKind): kind is ShownKind => eventRules[kind].isShown;

/**
 * Reads an event of any version: an older one is lifted first, in memory (DL-47). Undefined for a kind that no fold shows, whose data is not looked at. Throws
 * for anything that is no event.
 */
export function readEvent(stored: StoredEvent, lifts: readonly EventLift[] = eventLifts): ReadEvent | undefined {
  const { seq, at, actor, kind: storedKind, schemaVersion } = stored;
  const read = readData(stored, lifts);
  if (typeof read !== 'string') return read && ({ seq, at, actor, ...read } as KnownEvent);
  return { seq, at, actor, kind: 'unreadable', storedKind, schemaVersion, reason: read };
}

function readData({ kind: storedKind, data, schemaVersion }: StoredEvent, lifts: readonly EventLift[]) {
  if (schemaVersion > lifts.length + 1) return 'newer-version';
  if (!Number.isInteger(schemaVersion) || schemaVersion < 1) return 'malformed';
  const lifted = liftEvent({ kind: storedKind, data }, schemaVersion, lifts);
  if (lifted === undefined) return 'malformed';
  const { kind } = lifted;
  if (!isKnown(kind)) return 'unknown-kind';
  if (!isShown(kind)) return undefined;
  const parsed = eventDataSchemas[kind].safeParse(lifted.data);
  return parsed.success ? { kind, data: parsed.data } : 'malformed';
}

/** Reads all events that a fold shows, in their order. */
export function readLog(events: Iterable<StoredEvent>, lifts?: readonly EventLift[]): ReadEvent[] {
  return Array.from(events, (event) => readEvent(event, lifts)).filter((read) => read !== undefined);
}
