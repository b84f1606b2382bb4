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

/** At most a third of the items, but at least one, that the seed draws; in the order given. */
export function drawThird<T extends string>(items: readonly T[], seed: number): T[] {
  const drawn = new Set(shuffle(items, seed).slice(0, Math.max(1, Math.floor(items.length / 3))));
  return items.filter((item) => drawn.has(item));
}
