import type { ModelApi } from '../relay-types.ts';
import { shapes } from './content-shapes.ts';
import type { ByteRange, MediaBlock, OtherBlock, Place, TextBlock } from './content-types.ts';
import type { ReadUrl } from './media/url-digest.ts';
import type { PieceKey } from './string/piece-digest.ts';
import type { ReadText } from './text/text-digest.ts';

type Writable<Type> = { -readonly [Key in keyof Type]: Type[Key] };
export type DraftBlock = Writable<MediaBlock> | Writable<TextBlock> | Writable<OtherBlock>;

/** A file or text that a part carries; none where it is elsewhere or has another form than its key. */
export type Leaf =
  | { readonly kind: 'text'; readonly read: ReadText }
  | { readonly kind: 'media'; readonly read: ReadUrl }
  /** Text or media, by the type that follows it. */
  | { readonly kind: 'either'; readonly text: ReadText; readonly media: ReadUrl }
  | { readonly kind: 'none' };

/** A place in the body, and whether everything on the way there is an element of a list. */
export type Position = { readonly path: readonly number[]; readonly isListed: boolean };

/** A message or a part of one, while it is read. What is within its source or result counts for the part. */
export type Node = {
  readonly start: number;
  /** The node around it: the message of a part, the part of a part. */
  readonly parent: Node | undefined;
  readonly path: readonly number[];
  /** Whether it is an element of a list, and so is all that it is in. */
  readonly isListed: boolean;
  /** How many blocks came before it. */
  readonly firstBlock: number;
  /** The words under its keys, by their purpose; that of the source in a part is `source.type`. */
  readonly words: Map<string, string>;
  readonly leaves: { key: string; leaf: Leaf }[];
  cacheControl: ByteRange | undefined;
  /** Whether something in it has a form that its key does not have. */
  isOdd: boolean;
  /** Key of everything else in it. */
  others: PieceKey | undefined;
};

export const createNode = ({ path, isListed }: Position, start: number, firstBlock: number, parent?: Node): Node => ({
  path,
  isListed,
  start,
  parent,
  firstBlock,
  words: new Map(),
  leaves: [],
  cacheControl: undefined,
  isOdd: false,
  others: undefined,
});

/** Makes the blocks of a part, behind those of the parts in it. */
export function endPart(api: ModelApi, blocks: DraftBlock[], node: Node, end: number): void {
  const isToolResult = api === 'google' || node.words.get('type') === 'tool_result';
  for (const inner of blocks.slice(node.firstBlock)) {
    inner.place = 'tool-result';
    if (inner.kind !== 'other') inner.isReadable &&= isToolResult;
  }
  const [first, second] = node.leaves;
  if (first === undefined) {
    endOthers(blocks, node);
    return;
  }
  const { key } = first;
  const leaf = settleLeaf(first.leaf, node);
  const types = shapes[api].types?.[key];
  const isTyped = types === undefined || types.includes(node.words.get('type') ?? '');
  const isReadable = isTyped && second === undefined && !node.isOdd && node.firstBlock === blocks.length;
  const range = { start: node.start, end };
  const { path, isListed, cacheControl } = node;
  const common = { place: 'user' as const, path, range, isString: false, isListed, cacheControl };
  blocks.push(makeBlock(leaf, { ...common, isReadable: isReadable && hasSourceType(api, key, node, leaf) }, node));
}

/** A text in the place of a list of parts. */
export function endString(blocks: DraftBlock[], read: ReadText, { path, isListed }: Position, range: ByteRange): void {
  const { key, whole, framed } = read;
  const common = { place: 'user', path, range, isString: true, isListed, cacheControl: undefined } as const;
  blocks.push({ kind: 'text', ...common, isReadable: true, key, whole, framed });
}

/** Says of the blocks of a message whose they are. */
export function endItem(api: ModelApi, blocks: DraftBlock[], node: Node): void {
  endOthers(blocks, node);
  const place = placeOf(api, node);
  for (const block of blocks.slice(node.firstBlock)) {
    if (place !== 'user' || block.place !== 'tool-result') block.place = place;
  }
}

function settleLeaf(leaf: Leaf, { words }: Node): Leaf {
  if (leaf.kind !== 'either') return leaf;
  const isText = words.get('source.type') === 'text';
  return isText ? { kind: 'text', read: leaf.text } : { kind: 'media', read: leaf.media };
}

function endOthers(blocks: DraftBlock[], { others, path }: Node): void {
  if (others !== undefined) blocks.push({ kind: 'other', place: 'user', key: others.end(), path });
}

const elsewhere = { sizeBytes: 0, isReadable: false };

function makeBlock(leaf: Leaf, common: Omit<TextBlock, 'kind' | 'key' | 'whole' | 'framed'>, node: Node): DraftBlock {
  if (leaf.kind === 'text') {
    const { key, whole, framed } = leaf.read;
    return { kind: 'text', ...common, key, whole, framed };
  }
  const read: Omit<ReadUrl, 'sha256'> & { sha256?: string } = leaf.kind === 'media' ? leaf.read : elsewhere;
  const format = node.words.get('format');
  const mimeType =
    read.mimeType ?? node.words.get('media-type') ?? (format === undefined ? undefined : `audio/${format}`);
  return {
    ...{ kind: 'media', ...common, key: read.sha256 ?? node.others?.end() ?? '' },
    ...{ sha256: read.sha256 ?? '', sizeBytes: read.sizeBytes, mimeType },
    ...{ width: read.width, height: read.height, isReadable: common.isReadable && read.isReadable },
  };
}

/** Anthropic names the encoding next to the data. */
function hasSourceType(api: ModelApi, key: string, { words }: Node, leaf: Leaf): boolean {
  if (api !== 'anthropic' || key !== 'source') return true;
  const isDocument = words.get('type') === 'document';
  return leaf.kind === 'text'
    ? isDocument && words.get('source.type') === 'text'
    : words.get('source.type') === 'base64';
}

function placeOf(api: ModelApi, { words }: Node): Place {
  const role = words.get('role');
  const type = words.get('type') ?? '';
  switch (api) {
    case 'anthropic':
      return role === 'user' || role === 'assistant' ? role : 'system';
    case 'openai-chat':
      if (role === 'tool' || role === 'function') return 'tool-result';
      return role === 'user' || role === 'assistant' ? role : 'system';
    case 'openai-responses':
      if (type.endsWith('_output')) return 'tool-result';
      if (role === 'user') return 'user';
      return role === 'system' || role === 'developer' ? 'system' : 'assistant';
    case 'google':
      if (role === 'model') return 'assistant';
      if (role !== undefined && role !== 'user' && role !== 'function') return 'system';
      // Blocks next to a result belong to it.
      return words.has('result') ? 'tool-result' : 'user';
    default:
      return api satisfies never;
  }
}
