import type { ByteRange, ContentBlock, MediaBlock, TextBlock } from '../content/content-types.ts';
import type { Replacements } from '../relay-types.ts';

/** A block that goes out as a text. */
export type Splice = { readonly block: MediaBlock | TextBlock; readonly text: string };

/** The blocks of a request to replace, in their order. None if one of them was not read without doubt: then the request is not altered at all. */
export function planSplices(blocks: readonly ContentBlock[], replacements: Replacements): readonly Splice[] {
  const splices: Splice[] = [];
  const seen = new Map<string, number>();
  for (const block of blocks) {
    if (block.kind === 'other' || !isInPlace(block)) continue;
    const digest = digestOf(block);
    const replacement = replacements.get(digest);
    if (replacement === undefined) continue;
    if (!block.isReadable) return [];
    const count = (seen.get(digest) ?? 0) + 1;
    seen.set(digest, count);
    if (count <= (replacement.first ?? count)) splices.push({ block, text: replacement.text });
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
