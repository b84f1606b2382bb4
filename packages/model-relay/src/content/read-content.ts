import { CLOSE_BRACE, COLON, COMMA, isScalar, isSpace, OPEN_BRACE, OPEN_BRACKET, QUOTE } from '../json/json-bytes.ts';
import { beginAside, endAside } from './content-aside.ts';
import { type ContentScan, type OpenLevel, spoilContent } from './content-scan.ts';
import { foldedKeys, type Purpose } from './content-shapes.ts';
import { rootSlot, type Slot } from './content-walk.ts';
import { readSlot, readWord, type SlotOptions } from './slot-reader.ts';
import { findShortWord } from './string/find-short-word.ts';
import type { PieceKey } from './string/piece-digest.ts';
import { CUT, MALFORMED, readString } from './string/read-string.ts';
import { skimString } from './string/skim-string.ts';

// Reads the messages of a body while it streams through. Each byte of them must be JSON. What is JSON and could be read in two ways, a key twice
// or a key in other letters, spoils the content.

const MAX_DEPTH = 1_000;
const MAX_SCALAR_BYTES = 64;
const words: ReadonlySet<Purpose> = new Set(['type', 'role', 'media-type', 'format']);
const SCALAR = /^(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)$/;
const nobody: PieceKey = { add: () => {}, end: () => '' };

/** Reads on, at most to the end of the value. Returns where the rest begins, or `MALFORMED`. */
export function readContent(scan: ContentScan, chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && scan.isOpen) {
    if (scan.string !== undefined) {
      const { taker, end } = scan.string;
      const next =
        'take' in taker ? readString(scan.strings, chunk, at, taker) : skimString(scan.strings.place, chunk, at, taker);
      if (next === CUT || next === MALFORMED) return next === CUT ? chunk.length : MALFORMED;
      scan.string = undefined;
      at = next;
      end(scan.before + at);
      if (scan.levels.at(-1)?.expects !== 'colon') endValue(scan, chunk, at);
    } else if (scan.scalar !== '') {
      for (; at < chunk.length && isScalar(chunk[at] ?? 0); at += 1) scan.scalar += String.fromCharCode(chunk[at] ?? 0);
      if (scan.scalar.length > MAX_SCALAR_BYTES || (at < chunk.length && !SCALAR.test(scan.scalar))) return MALFORMED;
      if (at < chunk.length) endScalar(scan, chunk, at);
    } else {
      scan.next = at + 1;
      if (!isSpace(chunk[at] ?? 0) && !takeByte(scan, chunk, at)) return MALFORMED;
      at = scan.next;
    }
  }
  return at;
}

function takeByte(scan: ContentScan, chunk: Buffer, at: number): boolean {
  const byte = chunk[at];
  const level = scan.levels.at(-1);
  if (level === undefined) return beginValue(scan, chunk, at);
  switch (level.expects) {
    case 'next':
      if (byte === level.closer) return closeLevel(scan, chunk, at);
      level.expects = level.closer === CLOSE_BRACE ? 'key' : 'value';
      return byte === COMMA;
    case 'colon':
      level.expects = 'value';
      return byte === COLON;
    case 'first':
      if (byte === level.closer) return closeLevel(scan, chunk, at);
      return level.closer === CLOSE_BRACE
        ? byte === QUOTE && beginKey(scan, level, chunk, at)
        : beginValue(scan, chunk, at);
    case 'key':
      return byte === QUOTE && beginKey(scan, level, chunk, at);
    case 'value':
      return beginValue(scan, chunk, at);
    default:
      return level.expects satisfies never;
  }
}

function beginKey(scan: ContentScan, level: OpenLevel, chunk: Buffer, at: number): boolean {
  const short = level.container === undefined ? undefined : findShortWord(chunk, at);
  if (short !== undefined) {
    level.expects = 'colon';
    level.slot = placeKey(scan, level, short);
    scan.next = at + short.length + 2;
    return true;
  }
  const reader = level.container === undefined ? undefined : readWord();
  const end = (): void => {
    level.expects = 'colon';
    const read = reader?.end();
    level.slot = read?.kind === 'word' ? placeKey(scan, level, read.word) : undefined;
  };
  scan.string = { taker: reader?.taker ?? nobody, end };
  return true;
}

/** A key that counts must be in its object once, and in no other letter case: some servers take `Data` for `data`, and the later one wins. */
function placeKey(scan: ContentScan, { container, keys }: OpenLevel, word = ''): Slot | undefined {
  if (container?.level === undefined) return undefined;
  const slot = scan.walk.place(container, word);
  const isKnown = slot.purpose !== undefined;
  const isDoubtful = isKnown ? keys.includes(word) : foldedKeys[scan.api][container.level].has(word.toUpperCase());
  if (isDoubtful) {
    spoilContent(scan);
    return undefined;
  }
  if (isKnown) keys.push(word);
  return slot;
}

function beginValue(scan: ContentScan, chunk: Buffer, at: number): boolean {
  const byte = chunk[at] ?? 0;
  const level = scan.levels.at(-1);
  const slot = level === undefined ? rootSlot : level.container?.isArray ? level.container.slot : level.slot;
  if (level !== undefined) level.index += 1;
  const inside = scan.isWhole ? slot : undefined;
  if (byte === QUOTE) return takeWord(scan, inside, chunk, at) || beginString(scan, inside, at);
  if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return openLevel(scan, inside, at, byte);
  beginAside(scan, inside, at);
  scan.scalar = String.fromCharCode(byte);
  return isScalar(byte);
}

/** A word that is whole in this chunk, which nearly all are. */
function takeWord(scan: ContentScan, slot: Slot | undefined, chunk: Buffer, at: number): boolean {
  const short = slot?.purpose !== undefined && words.has(slot.purpose) ? findShortWord(chunk, at) : undefined;
  if (slot === undefined || short === undefined) return false;
  scan.walk.word(slot, short);
  scan.next = at + short.length + 2;
  endValue(scan, chunk, scan.next);
  return true;
}

function beginString(scan: ContentScan, slot: Slot | undefined, at: number): boolean {
  const level = scan.levels.at(-1);
  if (level !== undefined) level.expects = 'value';
  const reader = slot && readSlot(slot.purpose, optionsOf(scan, slot));
  if (slot === undefined || reader === undefined) {
    beginAside(scan, slot, at);
    scan.string = { taker: nobody, end: () => {} };
    return true;
  }
  const start = scan.before + at;
  const index = indexOf(level);
  const end = (endsAt: number): void => {
    const read = reader.end();
    if (!scan.isWhole) return;
    if (read.kind === 'word') scan.walk.word(slot, read.word);
    else scan.walk.leaf(slot, read, { start, end: endsAt }, index);
  };
  scan.string = { taker: reader.taker, end };
  return true;
}

function optionsOf({ errandTexts }: ContentScan, { node, purpose }: Slot): SlotOptions {
  const isInner = purpose === 'inner-parts' || node?.parent?.parent !== undefined;
  const role = (node?.parent ?? node)?.words.get('role') ?? 'user';
  return { sourceType: node?.words.get('source.type'), errands: errandTexts, isWhole: role === 'user' && !isInner };
}

function openLevel(scan: ContentScan, slot: Slot | undefined, at: number, byte: number): boolean {
  const index = indexOf(scan.levels.at(-1));
  const container = slot && scan.walk.open(slot, byte === OPEN_BRACKET, scan.before + at, index);
  if (container === undefined) beginAside(scan, slot, at);
  // In ASCII, a closing bracket comes two after its opening one.
  scan.levels.push({ closer: byte + 2, container, expects: 'first', slot: undefined, keys: [], index: -1 });
  return scan.levels.length < MAX_DEPTH;
}

/** Which element of a list begins; undefined in an object. */
const indexOf = (level: OpenLevel | undefined): number | undefined =>
  level?.container?.isArray === true ? level.index : undefined;

function closeLevel(scan: ContentScan, chunk: Buffer, at: number): boolean {
  const level = scan.levels.pop();
  if (level?.container !== undefined && scan.isWhole) scan.walk.close(level.container, scan.before + at + 1);
  endValue(scan, chunk, at + 1);
  return true;
}

function endScalar(scan: ContentScan, chunk: Buffer, end: number): void {
  scan.scalar = '';
  endValue(scan, chunk, end);
}

function endValue(scan: ContentScan, chunk: Buffer, end: number): void {
  endAside(scan, chunk, end);
  if (scan.isWhole && scan.walk.blocks.length > scan.maxBlocks) spoilContent(scan);
  const level = scan.levels.at(-1);
  if (level === undefined) scan.isOpen = false;
  else level.expects = 'next';
}
