import { randomUUID } from 'node:crypto';
import { MAX_REQUEST_COUNTS } from '@attache/contracts';
import type { SharedCounts } from '@attache/event-bus';

/** The share of a limit that all processes together may have admitted and not reported yet. */
const UNTOLD_SHARE = 0.15;
const TELL_MS = 1_000;
const HELLO_MS = 10_000;
/** A process that says nothing for so long is gone. */
const GONE_MS = 30_000;

type Counter = {
  /** In one window. */
  limit: number;
  /** Adds the counts of another process. */
  add(key: string, points: number): void;
};

/** The part of one counter in a report. */
export type CountShare = {
  /** Points that one request counts here: 1, or the number of processes while the others cannot hear. */
  readCost(): number;
  /** A request was counted. `isFirst`: it opened the window, which ends after `endsInMs`. */
  note(key: string, window: { isFirst: boolean; endsInMs: number }): void;
};

export type CountSharing = { join(name: string, counter: Counter): CountShare };

type Untold = { name: string; key: string; points: number; endsAtMs: number };

/**
 * Keeps the counts of several processes alike. Each reports what it has counted: at once when a window opens, so that all have the same one, then when it has
 * admitted a small part of the limit, and each second. So no more than that part is admitted beyond a limit, and each key costs about one message in a second.
 */
export function shareCounts(shared: SharedCounts): CountSharing {
  const from = randomUUID();
  const counters = new Map<string, Counter>();
  const heardAt = new Map<string, number>();
  const untold = new Map<string, Untold>();

  const countProcesses = () => {
    const since = performance.now() - GONE_MS;
    for (const [other, at] of heardAt) if (at < since) heardAt.delete(other);
    return heardAt.size + 1;
  };
  const tell = (entries: readonly Untold[]) => {
    const now = performance.now();
    // A count from a window that has ended has no meaning in the next one.
    const counts = entries.filter(({ endsAtMs }) => endsAtMs > now);
    for (let begin = 0; begin < counts.length; begin += MAX_REQUEST_COUNTS) {
      const page = counts.slice(begin, begin + MAX_REQUEST_COUNTS);
      shared.send({
        from,
        counts: page.map(({ name, key, points }) => [name, key, points] as [string, string, number]),
      });
    }
  };
  const hello = () => shared.send({ from, counts: [] });

  shared.listen(({ from: other, counts }) => {
    if (!heardAt.has(other)) setImmediate(hello);
    heardAt.set(other, performance.now());
    for (const [name, key, points] of counts) counters.get(name)?.add(key, points);
  });
  setInterval(() => {
    tell([...untold.values()]);
    untold.clear();
  }, TELL_MS).unref();
  setInterval(hello, HELLO_MS).unref();
  hello();

  return {
    join(name, counter) {
      counters.set(name, counter);
      return {
        readCost: () => (shared.isConnected() ? 1 : countProcesses()),
        note(key, { isFirst, endsInMs }) {
          const id = `${name} ${key}`;
          const endsAtMs = performance.now() + endsInMs;
          const before = untold.get(id);
          const points = before && before.endsAtMs > performance.now() ? before.points + 1 : 1;
          const one = { name, key, points, endsAtMs };
          // Rounded down: of a small limit the others hear of each request.
          if (isFirst || points >= Math.floor((counter.limit * UNTOLD_SHARE) / countProcesses())) {
            untold.delete(id);
            tell([one]);
          } else untold.set(id, one);
        },
      };
    },
  };
}
