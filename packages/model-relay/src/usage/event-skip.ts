/** If the lines of events end with CR alone, no event is passed over. */
const ends = [Buffer.from('\n\n'), Buffer.from('\n\r\n')];

/**
 * Finds how far a chunk of server-sent events may be passed over. The function takes where an event begins, later places after earlier ones, and
 * answers what is behind the last event that ends in this chunk and before any of the marks, or the same place.
 */
export function createEventSkip(chunk: Buffer, marks: readonly Buffer[]): (from: number) => number {
  const found = marks.map(() => -1);

  function findMark(from: number): number {
    for (const [index, mark] of marks.entries()) {
      // Each place is searched once, however many events there are.
      if ((found[index] ?? -1) < from) found[index] = orEnd(chunk, chunk.indexOf(mark, from));
    }
    return Math.min(...found);
  }

  return (from) => {
    const whole = chunk.subarray(from, findMark(from));
    return from + Math.max(...ends.map((end) => endOf(whole.lastIndexOf(end), end)));
  };
}

const orEnd = (chunk: Buffer, found: number): number => (found === -1 ? chunk.length : found);
const endOf = (found: number, { length }: Buffer): number => (found === -1 ? 0 : found + length);
