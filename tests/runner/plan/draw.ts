import { createHash } from 'node:crypto';

/** A seed of at most nine digits, made from the id of a commit: another commit draws something else. */
export function seedOf(commit: string): number {
  return createHash('sha256').update(commit).digest().readUInt32BE() % 1_000_000_000;
}

/** The items in an order that the seed draws. The place of one does not depend on the others. */
export function shuffle<T extends string>(items: readonly T[], seed: number): T[] {
  const rankOf = (item: T) => createHash('sha256').update(`${seed} ${item}`).digest('hex');
  return items.toSorted((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1));
}

/** One of the items, that the seed draws. */
export function drawOne<T extends string>(items: readonly T[], seed: number): T {
  const [drawn] = shuffle(items, seed);
  if (drawn === undefined) throw new Error('there is nothing to draw from');
  return drawn;
}
