/** The most events that one read returns. */
export const BATCH = 100;

/** How much is kept for followers that are a little behind: events, and characters of them. */
const KEPT_EVENTS = 200;
const KEPT_CHARACTERS = 256 * 1024;

/** An event of the log as it is sent. */
export type SentEvent = { seq: number; text: string };

/** The newest events that were read or came live, without a gap. `head` is the seq of the newest; undefined before the first read. */
export function createTail() {
  let head: number | undefined;
  let events: SentEvent[] = [];
  /** Adds the events that the log holds after `seq`. Events with a gap are not kept. */
  const add = (seq: number, added: readonly SentEvent[]): void => {
    const end = added.at(-1)?.seq ?? seq;
    if (head !== undefined && end < head) return;
    const isGapless = end - seq === added.length;
    events = isGapless ? [...(seq === head ? events : []), ...added].slice(-KEPT_EVENTS) : [];
    head = end;
    let characters = events.reduce((sum, { text }) => sum + text.length, 0);
    while (characters > KEPT_CHARACTERS) characters -= events.shift()?.text.length ?? 0;
  };
  return {
    get head() {
      return head;
    },
    /** Events after a seq that lies within; undefined if the database has to be asked. */
    after(seq: number): SentEvent[] | undefined {
      if (head === undefined || seq > head || seq < head - events.length) return undefined;
      return seq === head ? [] : events.slice(events.length - (head - seq)).slice(0, BATCH);
    },
    /**
     * An event that came live. `taken`: it is the next one. `known`: it was here before. `gap`: events before it are missing here, so the database has
     * to be asked.
     */
    offer(seq: number, format: () => string): 'taken' | 'known' | 'gap' {
      if (head === undefined || seq > head + 1) return 'gap';
      if (seq <= head) return 'known';
      add(head, [{ seq, text: format() }]);
      return 'taken';
    },
    add,
  };
}
