import type { WireBlock, WireRequest } from './wire-facts.ts';

/** Place, kind and content of a block; what caches it or wraps it does not count. */
const keyOf = ({ kind, place, key }: WireBlock): string => `${kind} ${place} ${key}`;

/**
 * The blocks that a request holds and an earlier one did not: those after the longest beginning that both have. Where a program wrote its
 * history anew, as when it is shortened, what followed that beginning in the earlier request is not new either.
 */
export function listNewBlocks(request: WireRequest, earlier: WireRequest | undefined): readonly WireBlock[] {
  const blocks = request.blocks ?? [];
  const old = earlier?.blocks ?? [];
  const first = blocks.findIndex((block, index) => !isSame(block, old[index]));
  const shared = first === -1 ? blocks.length : first;
  const left = countKeys(old.slice(shared));
  return blocks.slice(shared).filter((block) => {
    const count = left.get(keyOf(block)) ?? 0;
    left.set(keyOf(block), count - 1);
    return count <= 0;
  });
}

const isSame = (block: WireBlock, other: WireBlock | undefined): boolean =>
  other !== undefined && keyOf(block) === keyOf(other);

function countKeys(blocks: readonly WireBlock[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const block of blocks) counts.set(keyOf(block), (counts.get(keyOf(block)) ?? 0) + 1);
  return counts;
}
