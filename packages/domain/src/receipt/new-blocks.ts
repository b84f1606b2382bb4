import type { WireBlock, WireRequest } from './wire-facts.ts';

/** Place, kind and content of a block; what caches it or wraps it does not count. */
const keyOf = ({ kind, place, key }: WireBlock): string => `${kind} ${place} ${key}`;

/**
 * The blocks that a request holds and an earlier one did not: those after the longest beginning that both have. Where a program wrote its
 * history again, as when it is shortened, what followed that beginning in the earlier request is not new either.
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

/**
 * A program that was started again sends a history of which nothing was seen: in the turn's first request, everything up to the model's last output belongs to
 * earlier turns. Undefined if the request was not read.
 */
export function findHistory({ blocks }: WireRequest): WireRequest | undefined {
  if (blocks === undefined) return undefined;
  const end = blocks.findLastIndex(({ place }) => place === 'assistant') + 1;
  return { blocks: blocks.slice(0, end), answer: undefined };
}

const isSame = (block: WireBlock, other: WireBlock | undefined): boolean =>
  other !== undefined && keyOf(block) === keyOf(other);

function countKeys(blocks: readonly WireBlock[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const block of blocks) counts.set(keyOf(block), (counts.get(keyOf(block)) ?? 0) + 1);
  return counts;
}
