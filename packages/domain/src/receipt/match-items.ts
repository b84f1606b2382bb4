import type { SentItem, WireBlock, WireVerdict } from './wire-facts.ts';

type Wire = NonNullable<WireVerdict['wire']>;

/** The block of an item in a request. `isReplaced`: the item went out as a text in its place. */
export type Match = { readonly wire: Wire; readonly isReplaced: boolean };

type MediaBlock = Extract<WireBlock, { kind: 'media' }>;

/** An encoder rounds each side to whole pixels. */
const MAX_ASPECT_DIFFERENCE = 0.02;

/** Finds the block of each item among these blocks; undefined if there is none. Two items of the same bytes need a block each. */
export function matchItems(items: readonly SentItem[], blocks: readonly WireBlock[]): readonly (Match | undefined)[] {
  const used = new Set<object>();
  const exact = items.map((item) => matchExactly(item, blocks, used));
  const altered = matchAltered(items, blocks);
  return exact.map((match, index) => match ?? altered?.[index]);
}

function matchExactly(item: SentItem, blocks: readonly WireBlock[], used: Set<object>): Match | undefined {
  const place = { message: 'user', tool: 'tool-result', none: undefined }[item.by];
  const { sha256, sizeBytes, spelled } = item;
  const found = blocks
    .flatMap((block) =>
      block.kind !== 'other' && block.isReadable && block.place === place ? listContents(block) : [],
    )
    .find(({ content, isText }) => !used.has(content) && content.sha256 === (isText ? spelled?.sha256 : sha256));
  if (found === undefined) return undefined;
  used.add(found.content);
  return { wire: { sha256, sizeBytes, altered: false }, isReplaced: found.isReplaced };
}

function listContents(block: Exclude<WireBlock, { kind: 'other' }>) {
  const { isReplaced = false } = block;
  if (block.kind === 'media') return [{ content: block, isText: false, isReplaced }];
  const { whole, framed } = block;
  const contents = [...(whole === undefined ? [] : [whole]), ...framed];
  return contents.map((content) => ({ content, isText: true, isReplaced }));
}

/** Matches files by their order, if there is one for each of those sent and no picture has another shape. Undefined if the match is ambiguous. */
function matchAltered(
  items: readonly SentItem[],
  blocks: readonly WireBlock[],
): readonly (Match | undefined)[] | undefined {
  const sent = items.filter(isMessageMedia);
  const media = blocks.filter((block): block is MediaBlock => block.kind === 'media' && block.place === 'user');
  if (media.length !== sent.length) return undefined;
  const pairs = new Map(sent.map((item, index) => [item, media[index] as MediaBlock]));
  if (![...pairs].every(([item, block]) => block.isReadable && isLike(item, block))) return undefined;
  return items.map((item) => {
    const block = pairs.get(item);
    if (block === undefined) return undefined;
    const { sha256, sizeBytes, isReplaced = false } = block;
    return { wire: { sha256, sizeBytes, altered: sha256 !== item.sha256 }, isReplaced };
  });
}

export const isMessageMedia = ({ by, spelled }: SentItem): boolean => by === 'message' && spelled === undefined;

function isLike(item: SentItem, block: MediaBlock): boolean {
  if (item.sha256 === block.sha256) return true;
  const { width, height } = item;
  if (!width || !height || !block.width || !block.height) return false;
  const ratio = (block.width * height) / (block.height * width);
  return Math.abs(ratio - 1) <= MAX_ASPECT_DIFFERENCE;
}
