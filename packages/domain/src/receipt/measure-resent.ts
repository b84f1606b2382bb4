import { listNewBlocks } from './new-blocks.ts';
import type { WireBlock, WireTurn } from './wire-facts.ts';

/**
 * How many bytes of a request were in an earlier one already: of the blocks that both hold, as `listNewBlocks` compares them, what they take in
 * the body. Blocks of no known place in it count nothing, and neither does a request that nothing was seen before.
 */
export function measureResent(blocks: readonly WireBlock[], earlier: WireTurn['earlier']): number {
  if (earlier === undefined || earlier === 'unseen') return 0;
  const fresh = new Set(listNewBlocks({ blocks, answer: undefined }, earlier));
  return blocks.reduce((sum, block) => (fresh.has(block) ? sum : sum + sizeOf(block)), 0);
}

const sizeOf = ({ range }: WireBlock): number => (range === undefined ? 0 : range.end - range.start);
