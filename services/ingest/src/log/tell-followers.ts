import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises';

export type Follower = { onNews(): void; onDelta(text: string): void };

/** How many followers hear of it in one turn of the event loop. */
const TOLD_AT_ONCE = 32;
/** How long a log rests after that, for each of its followers: all of them together take a part of the process. */
const REST_MS_OF_EACH = 0.25;
const LEAST_REST_MS = 1;
/** Characters of the deltas that are kept meanwhile; a reader that wants the text waits for the finished item. */
const KEPT_CHARACTERS = 64 * 1024;

/** Tells the followers of one log that there is more to read. */
export type Teller = {
  noteNews(): void;
  /** Text that is sent as it is, to those who follow now. */
  noteDelta(text: string): void;
};

/**
 * Tells few followers at once, and many in turns with a rest after that; news of that time goes out together. So a thousand followers of one
 * agent that never stops talking leave the process to others (BX-27).
 */
export function createTeller(followers: ReadonlySet<Follower>): Teller {
  let hasNews = false;
  let deltas: string[] = [];
  let keptCharacters = 0;
  let isTelling = false;

  async function tellOnce(): Promise<void> {
    const text = deltas.join('');
    hasNews = false;
    deltas = [];
    keptCharacters = 0;
    let told = 0;
    for (const follower of followers) {
      if (told > 0 && told % TOLD_AT_ONCE === 0) await nextTurn();
      told += 1;
      if (text === '') follower.onNews();
      else follower.onDelta(text);
    }
    const restMs = told * REST_MS_OF_EACH;
    if (restMs >= LEAST_REST_MS) await delay(restMs);
  }

  async function tell(): Promise<void> {
    if (isTelling) return;
    isTelling = true;
    while (hasNews || deltas.length > 0) await tellOnce();
    isTelling = false;
  }

  return {
    noteNews() {
      hasNews = true;
      void tell();
    },
    noteDelta(text) {
      if (keptCharacters + text.length > KEPT_CHARACTERS && deltas.length > 0) return;
      keptCharacters += text.length;
      deltas.push(text);
      void tell();
    },
  };
}
