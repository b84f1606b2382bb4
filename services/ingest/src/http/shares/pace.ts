/** Answers how many milliseconds to wait before more is read, 0 where none. */
export type Pace = (holder: string, bytes: number) => number;

/** What a holder may be ahead: a wait that is shorter is not worth a timer. */
const AHEAD_MS = 20;

/** Bounds what each holder reads in a second, however many things it reads at once. `now`: milliseconds of a clock that only goes forward. */
export function createPace(bytesPerSecond: number, now: () => number = () => performance.now()): Pace {
  const paidUntil = new Map<string, number>();
  return (holder, bytes) => {
    const at = now();
    const until = Math.max(at, paidUntil.get(holder) ?? 0) + (bytes / bytesPerSecond) * 1_000;
    for (const [name, time] of paidUntil) if (time <= at) paidUntil.delete(name);
    paidUntil.set(holder, until);
    return until - at > AHEAD_MS ? until - at : 0;
  };
}
