import type { ModelApi } from '../relay-types.ts';
import { createNode, type DraftBlock, endItem, endPart, endString, type Leaf, type Node } from './content-nodes.ts';
import { type Level, type Purpose, shapes } from './content-shapes.ts';

/** Where a value lies: under a key of an object, or in a list. */
export type Slot = {
  readonly purpose: Purpose | undefined;
  readonly key: string;
  /** Of the elements of a list: what each of them is. */
  readonly element: Level | undefined;
  /** The message or part that it belongs to. */
  readonly node: Node | undefined;
  /** Whether it lies in the source of a part, or in its result. */
  readonly isInner: boolean;
};

/** What an object or a list is: a list of messages or parts, one of them, or what is within one. Undefined: nothing that is looked into. */
export type Container = { readonly slot: Slot; readonly level: Level | undefined; readonly isArray: boolean };

export type Walk = {
  readonly blocks: DraftBlock[];
  hasTools: boolean;
  hasErrandText: boolean;
  open(slot: Slot, isArray: boolean, start: number): Container | undefined;
  close(container: Container, end: number): void;
  /** The slot under a key. */
  place(container: Container, key: string): Slot;
  word(slot: Slot, word: string | undefined): void;
  leaf(slot: Slot, leaf: Leaf, range: { start: number; end: number }): void;
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
    open(slot, isArray, start) {
      const level = slot.element ?? (slot.purpose && levels[slot.purpose]);
      const isList = slot.purpose === 'items' || slot.purpose === 'parts' || slot.purpose === 'inner-parts';
      if (level === undefined || (isArray && (slot.element !== undefined || !isList))) return undefined;
      if (level === 'item' && !isArray) walk.hasErrandText = false;
      if (isArray) return { slot: moveSlot(slot, level, slot.node), level, isArray };
      if (level === 'result') slot.node?.parent?.words.set('result', '');
      const isOwn = level === 'item' || level === 'part';
      const node = isOwn ? createNode(start, blocks.length, slot.node) : slot.node;
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
    leaf(slot, leaf, range) {
      if (leaf.kind === 'text' && leaf.read.isErrand) walk.hasErrandText = true;
      if (slot.purpose === 'items' || slot.purpose === 'parts' || slot.purpose === 'inner-parts') {
        if (leaf.kind === 'text') endString(blocks, leaf.read, range);
      } else slot.node?.leaves.push({ key: slot.key, leaf });
    },
  };
  return walk;
}

/** The slot of what lies within. A spread would cost more than all else of it. */
function moveSlot({ purpose, key, isInner }: Slot, element: Slot['element'], node: Slot['node']): Slot {
  return { purpose, key, element, node, isInner };
}
