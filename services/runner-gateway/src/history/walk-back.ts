const FIRST_EVENTS = 1_000;
/** The most events of a log that are read: older ones are counted, and not told. */
const MAX_EVENTS = 64_000;

export type Stretch = { fromSeq: number; beforeSeq: number };

/** Stretches of a log from its end to its beginning, each as long as all before it. `isFirst`: the log begins with it. */
export function* walkBack(lastSeq: number): Generator<Stretch & { isFirst: boolean }> {
  let beforeSeq = lastSeq + 1;
  const countSeen = () => lastSeq + 1 - beforeSeq;
  for (let length = FIRST_EVENTS; beforeSeq > 1 && countSeen() < MAX_EVENTS; length = countSeen()) {
    const fromSeq = Math.max(1, beforeSeq - length);
    yield { fromSeq, beforeSeq, isFirst: fromSeq === 1 };
    beforeSeq = fromSeq;
  }
}
