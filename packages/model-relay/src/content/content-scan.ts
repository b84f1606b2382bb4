import type { ModelApi } from '../relay-types.ts';
import type { Node } from './content-nodes.ts';
import type { ContentBlock } from './content-types.ts';
import { type Container, createWalk, type Slot, type Walk } from './content-walk.ts';
import type { PieceKey } from './string/piece-digest.ts';
import { createStringState, type StringState, type StringTaker } from './string/read-string.ts';

export type ContentLimits = {
  /** With more blocks than this, the content does not count as whole. */
  readonly maxBlocks: number;
  /** Beginnings of an errand's texts, as `JSON.stringify` spells them. */
  readonly errandTexts: readonly string[];
};

/** An object or a list that is open. */
export type OpenLevel = {
  readonly closer: number;
  /** Undefined: nothing of it is looked into. */
  container: Container | undefined;
  expects: 'first' | 'key' | 'colon' | 'value' | 'next';
  /** The slot of the key that was read last. */
  slot: Slot | undefined;
  /** The keys that count. */
  readonly keys: string[];
  /** In a list: the index of the element that is read. */
  index: number;
};

/** A value that counts as it is spelled, or is left out. */
export type Aside = {
  readonly slot: Slot;
  readonly node: Node;
  /** How many levels are open around it. */
  readonly depth: number;
  readonly start: number;
  readonly others: PieceKey | undefined;
  /** The start of its bytes in the current chunk that were not taken yet. */
  from: number;
};

/** The messages of one body, while they are read. */
export type ContentScan = ContentLimits & {
  readonly api: ModelApi;
  readonly walk: Walk;
  readonly strings: StringState;
  readonly levels: OpenLevel[];
  string: { readonly taker: StringTaker | PieceKey; end(end: number): void } | undefined;
  scalar: string;
  /** The next byte to read in the current chunk. */
  next: number;
  aside: Aside | undefined;
  /** Bytes of the chunks before. */
  before: number;
  isOpen: boolean;
  isWhole: boolean;
};

export function createContentScan(api: ModelApi, limits: ContentLimits): ContentScan {
  return {
    ...{
      ...limits,
      api,
      walk: createWalk(api),
      strings: createStringState(),
      levels: [],
      string: undefined,
    },
    ...{ scalar: '', next: 0, aside: undefined, before: 0, isOpen: false, isWhole: true },
  };
}

/** Ends the search: what was found proves nothing. The rest is read on as JSON. */
export function spoilContent(scan: ContentScan): void {
  scan.isWhole = false;
  scan.aside = undefined;
  scan.walk.blocks.length = 0;
  for (const level of scan.levels) level.container = undefined;
}

/** Takes note of a chunk's end. */
export function endContentChunk(scan: ContentScan, chunk: Buffer): void {
  const { aside } = scan;
  if (aside !== undefined) {
    aside.others?.add(chunk.subarray(aside.from));
    aside.from = 0;
  }
  scan.before += chunk.length;
}

/** The blocks in their order; undefined where not all of them were read, or not without doubt. */
export const blocksOf = ({ isWhole, isOpen, walk }: ContentScan): readonly ContentBlock[] | undefined =>
  isWhole && !isOpen ? walk.blocks : undefined;
