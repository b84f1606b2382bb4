import type { ModelApi } from '../relay-types.ts';
import {
  createNode,
  type DraftBlock,
  endItem,
  endPart,
  endString,
  type Leaf,
  type Node,
  type Position,
} from './content-nodes.ts';
import { type Level, type Purpose, shapes } from './content-shapes.ts';

/** The place of a value: under a key of an object, or in a list. */
export type Slot = {
  readonly purpose: Purpose | undefined;
  readonly key: string;
  /** Only for a list: the level of its elements. */
  readonly element: Level | undefined;
  /** The message or part that it belongs to. */
  readonly node: Node | undefined;
  /** Whether it is in the source of a part, or in its result. */
  readonly isInner: boolean;
};

/** An object or a list: a list of messages or parts, one of them, or something within one. Undefined: the reader does not look into it. */
export type Container = { readonly slot: Slot; readonly level: Level | undefined; readonly isArray: boolean };

export type Walk = {
  readonly blocks: DraftBlock[];
  hasTools: boolean;
  hasErrandText: boolean;
  /** `index`: which element of a list it is; undefined where it is none. */
  open(slot: Slot, isArray: boolean, start: number, index: number | undefined): Container | undefined;
  close(container: Container, end: number): void;
  /** The slot under a key. */
  place(container: Container, key: string): Slot;
  word(slot: Slot, word: string | undefined): void;
  leaf(slot: Slot, leaf: Leaf, range: { start: number; end: number }, index: number | undefined): void;
};

const levels: Partial<Record<Purpose, Level>> = {
  ...{ items: 'item', parts: 'part', 'inner-parts': 'part', source: 'source', link: 'source', result: 'result' },
};

export const rootSlot: Slot = { purpose: 'items', key: '', element: undefined, node: undefined, isInner: false };

/** Makes blocks of what the scan finds in a body of this API. */
export function createWalk(api: ModelApi): Walk {
  const blocks: DraftBlock[] = [];

  const walk: Walk = {
    ...{ blocks, hasTools: false, hasErrandText: false },
    open(slot, isArray, start, index) {
      const level = slot.element ?? (slot.purpose && levels[slot.purpose]);
      const isList = slot.purpose === 'items' || slot.purpose === 'parts' || slot.purpose === 'inner-parts';
      if (level === undefined || (isArray && (slot.element !== undefined || !isList))) return undefined;
      if (level === 'item' && !isArray) walk.hasErrandText = false;
      if (isArray) return { slot: moveSlot(slot, level, slot.node), level, isArray };
      if (level === 'result') slot.node?.parent?.words.set('result', '');
      const isOwn = level === 'item' || level === 'part';
      const node = isOwn ? createNode(placeIn(slot.node, index), start, blocks.length, slot.node) : slot.node;
      return { slot: moveSlot(slot, slot.element, node), level, isArray };
    },
    close({ slot: { node }, level, isArray }, end) {
      if (isArray || node === undefined) return;
      if (level === 'part') endPart(api, blocks, node, end);
      if (level === 'item') endItem(api, blocks, node);
    },
    place({ slot, level }, key) {
      const purpose = level === undefined ? undefined : shapes[api].levels[level][key];
      const isInner = level === 'source' || level === 'result';
      return { purpose, key: isInner ? slot.key : key, element: undefined, node: slot.node, isInner };
    },
    word({ node, purpose = 'type', isInner }, word = '') {
      node?.words.set(isInner && purpose === 'type' ? 'source.type' : purpose, word);
    },
    leaf(slot, leaf, range, index) {
      if (leaf.kind === 'text' && leaf.read.isErrand) walk.hasErrandText = true;
      if (slot.purpose === 'items' || slot.purpose === 'parts' || slot.purpose === 'inner-parts') {
        if (leaf.kind === 'text') endString(blocks, leaf.read, placeIn(slot.node, index), range);
      } else slot.node?.leaves.push({ key: slot.key, leaf });
    },
  };
  return walk;
}

/** A message that is in no list is the first one; a part that is in none is its message's only one. */
function placeIn(node: Node | undefined, index: number | undefined): Position {
  if (node === undefined) return { path: [index ?? 0], isListed: index !== undefined };
  return index === undefined
    ? { path: node.path, isListed: false }
    : { path: extend(node.path, index), isListed: node.isListed };
}

/** An array of exactly this length: a thousand of them are kept. */
function extend(path: readonly number[], index: number): readonly number[] {
  const [first = 0, second = 0] = path;
  if (path.length === 1) return [first, index];
  return path.length === 2 ? [first, second, index] : path.concat(index);
}

/** The slot of the content within. A spread would cost more than the rest of the work. */
function moveSlot({ purpose, key, isInner }: Slot, element: Slot['element'], node: Slot['node']): Slot {
  return { purpose, key, element, node, isInner };
}
