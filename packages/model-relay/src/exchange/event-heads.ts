/** Of a larger event the beginning says enough: some repeat the whole request. */
const MAX_EVENT_BYTES = 16 * 1024;
const EVENT_END = /\r?\n\r?\n|\r\r/;
const LONGEST_END_BYTES = 4;

/** Splits a stream into events. Holds no more than the beginning of one. */
export type EventHeads = {
  /** The events that ended in this chunk, or grew longer than what is held of them, each once. Of those the beginning. */
  take(chunk: Buffer): readonly string[];
};

export function createEventHeads(): EventHeads {
  let kept = Buffer.alloc(0);
  /** Whether its beginning was given already. */
  let isLong = false;

  function takeOne(): string | undefined {
    const text = kept.toString('latin1');
    const end = EVENT_END.exec(text);
    const head = isLong ? '' : kept.toString('utf8', 0, Math.min(end?.index ?? kept.length, MAX_EVENT_BYTES));
    if (end !== null) {
      kept = kept.subarray(end.index + end[0].length);
      isLong = false;
      return head;
    }
    if (!isLong && kept.length <= MAX_EVENT_BYTES) return undefined;
    kept = Buffer.from(kept.subarray(-LONGEST_END_BYTES));
    const wasLong = isLong;
    isLong = true;
    return wasLong ? undefined : head;
  }

  return {
    take(chunk) {
      kept = Buffer.concat([kept, chunk]);
      const events: string[] = [];
      for (let event = takeOne(); event !== undefined; event = takeOne()) events.push(event);
      return events.filter((event) => event !== '');
    },
  };
}
