/** Returns how many milliseconds to wait before more is taken; 0 if none. Infinity where that would be too long: the amount is not counted then. */
export type Pace = (holder: string, amount: number) => number;

/** A wait that is shorter is not worth a timer. */
const LEAST_WAIT_MS = 20;

/** In one unit: bytes, or requests. */
export type PaceLimits = {
  perSecond: number;
  /** The amount that a rested holder is given before it waits for the first time. */
  atOnce?: number | undefined;
  /** The longest wait; without it there is no bound. */
  maxWaitMs?: number | undefined;
  /** Milliseconds of a clock that only goes forward. */
  now?: (() => number) | undefined;
};

/** Bounds the amount of each holder in a second, of however many things it asks at once. */
export function createPace({
  perSecond,
  atOnce = 0,
  maxWaitMs = Number.POSITIVE_INFINITY,
  now = () => performance.now(),
}: PaceLimits): Pace {
  const timeFor = (amount: number) => (amount / perSecond) * 1_000;
  const paidUntil = new Map<string, number>();
  return (holder, amount) => {
    const at = now();
    const until = Math.max(at, paidUntil.get(holder) ?? 0) + timeFor(amount);
    for (const [name, time] of paidUntil) if (time <= at) paidUntil.delete(name);
    const waitMs = until - at - timeFor(atOnce);
    if (waitMs > maxWaitMs) return Number.POSITIVE_INFINITY;
    paidUntil.set(holder, until);
    return waitMs > LEAST_WAIT_MS ? waitMs : 0;
  };
}
