/** The task that a gateway writes to its guard. It writes one JSON value per line, and this is the first line. */
export type GuardTask = {
  /** The URL of the database, as the gateway itself reaches it. It comes by a pipe, because others can read an environment. */
  databaseUrl: string;
  replicaId: string;
  incarnation: string;
};

/** `untilMs`: agents may run until then, by the monotonic clock of the machine. `done`: the gateway ends as it should. */
export type GuardWord = { untilMs: number } | { done: true };

export const formatWord = (word: GuardTask | GuardWord): string => `${JSON.stringify(word)}\n`;

/** Undefined for what is none. */
export function parseWord(line: string): GuardWord | undefined {
  const word: unknown = JSON.parse(line);
  if (typeof word !== 'object' || word === null) return undefined;
  if ('done' in word && word.done === true) return { done: true };
  return 'untilMs' in word && typeof word.untilMs === 'number' ? { untilMs: word.untilMs } : undefined;
}
