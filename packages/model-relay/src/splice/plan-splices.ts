import type { ByteRange, ContentBlock, MediaBlock, TextBlock } from '../content/content-types.ts';

/** A block that goes out as a text. */
export type Splice = { readonly block: MediaBlock | TextBlock; readonly text: string };

/** The blocks of a request to replace, in their order. None if one of them was not read without doubt: then the request is not altered at all. */
export function planSplices(
  blocks: readonly ContentBlock[],
  replacements: ReadonlyMap<string, string>,
): readonly Splice[] {
  const splices: Splice[] = [];
  for (const block of blocks) {
    const text = block.kind === 'other' ? undefined : replacements.get(digestOf(block));
    if (block.kind === 'other' || text === undefined || !isInPlace(block)) continue;
    if (!block.isReadable) return [];
    splices.push({ block, text });
  }
  splices.sort((a, b) => a.block.range.start - b.block.range.start);
  return areApart(splices.map(({ block }) => block.range)) ? splices : [];
}

/** The same blocks, with those marked that went out as texts. */
export function markReplaced(blocks: readonly ContentBlock[], splices: readonly Splice[]): readonly ContentBlock[] {
  const replaced = new Set<ContentBlock>(splices.map(({ block }) => block));
  return blocks.map((block) => (replaced.has(block) ? { ...block, isReplaced: true } : block));
}

const digestOf = (block: MediaBlock | TextBlock): string =>
  block.kind === 'media' ? block.sha256 : (block.whole?.sha256 ?? '');

/**
 * Whether a text can replace the block: the block comes from a user or a tool, in a place for a text. A screenshot that is the whole output of a call has to
 * stay one.
 */
const isInPlace = ({ place, isString, isListed }: MediaBlock | TextBlock): boolean =>
  (place === 'user' || place === 'tool-result') && (isString || isListed);

const areApart = (ranges: readonly ByteRange[]): boolean =>
  ranges.every(({ start, end }, index) => start < end && start >= (ranges[index - 1]?.end ?? 0));
