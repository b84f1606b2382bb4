/** The fields of an event that depend on the version under which it was written. */
export type VersionedEvent = { kind: string; data: Record<string, unknown> };

/** Makes of an event of one version one of the next: pure, and undefined where that cannot be done. */
export type EventLift = (event: VersionedEvent) => VersionedEvent | undefined;

/** The first lifts version 1 to 2, and so on. All events so far are of version 1; a later one needs a lift for each before it (DL-47). */
export const eventLifts: readonly EventLift[] = [];

/** An event of an older version as one of the newest, in memory alone; undefined where a lift refuses it or breaks on it. */
export function liftEvent(
  event: VersionedEvent,
  version: number,
  lifts: readonly EventLift[] = eventLifts,
): VersionedEvent | undefined {
  let lifted: VersionedEvent | undefined = event;
  for (const lift of lifts.slice(version - 1)) {
    lifted = tryLift(lift, lifted);
    if (lifted === undefined) return undefined;
  }
  return lifted;
}

// A record that is not what its version promised may break a lift anywhere; it must not end the fold.
function tryLift(lift: EventLift, event: VersionedEvent): VersionedEvent | undefined {
  try {
    return lift(event);
  } catch {
    return undefined;
  }
}
