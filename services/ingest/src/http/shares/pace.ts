/** Returns how many milliseconds to wait before more is read; 0 if none. */
export type Pace = (holder: string, bytes: number) => number;

/** A wait that is shorter is not worth a timer. */
const LEAST_WAIT_MS = 20;

export type PaceLimits = {
  bytesPerSecond: number;
  /** Bytes that a rested holder reads before it waits for the first time. */
  atOnceBytes?: number | undefined;
  /** Milliseconds of a clock that only goes forward. */
  now?: (() => number) | undefined;
};

/** Bounds what each holder reads in a second, however many things it reads at once. */
export function createPace({ bytesPerSecond, atOnceBytes = 0, now = () => performance.now() }: PaceLimits): Pace {
  const timeFor = (bytes: number) => (bytes / bytesPerSecond) * 1_000;
  const paidUntil = new Map<string, number>();
  return (holder, bytes) => {
    const at = now();
    const until = Math.max(at, paidUntil.get(holder) ?? 0) + timeFor(bytes);
    for (const [name, time] of paidUntil) if (time <= at) paidUntil.delete(name);
    paidUntil.set(holder, until);
    const waitMs = until - at - timeFor(atOnceBytes);
    return waitMs > LEAST_WAIT_MS ? waitMs : 0;
  };
}
