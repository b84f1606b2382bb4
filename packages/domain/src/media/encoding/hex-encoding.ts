import type { ByteSink, Encoding } from './encoding.ts';
import { hexValues, NO_DIGIT } from './hex-values.ts';
import { codeOf, lengthOf, MORE, readCharacter, readGap } from './read-character.ts';

const MAX_GROUP = 64;

/** After a line break. */
const INDENT = /[ \t]$/;
const CLOSING = '"\'`<>()[]{},;|';
const noBytes = new Uint8Array(0);
const separators = ' ,:;-';
const word = /[A-Za-z0-9_]/;

type State = {
  isEnded: boolean;
  count: number;
  /** Digits since the last separator, and in the group before it. */
  groupDigits: number;
  lastGroupDigits: number;
  breakCount: number;
};

type Group = {
  at: number;
  digits: string;
  hasBreak: boolean;
  /** In its line it has a place that no word has: indented, or closed by what closes a value. */
  isSetOff: boolean;
};

/** Pairs of hexadecimal digits, in one piece, in lines, or with what separates bytes or groups of them: `89 50`, `89:50`, `0x89, 0x50`, `\x89\x50`. */
export function createHexEncoding(sink: ByteSink): Encoding {
  const state: State = { isEnded: false, count: 0, groupDigits: 0, lastGroupDigits: 0, breakCount: 0 };
  return {
    read(text, start, isWhole) {
      let at = start;
      while (!state.isEnded) {
        at = readPairs(text, at, state, sink);
        // Half a pair may become whole.
        if (!isWhole && at + 1 >= text.length) break;
        sink.show();
        const next = findGroup(text, at, isWhole);
        if (next === undefined) break;
        if (next === 'none' || !isPart(next, state, sink)) state.isEnded = true;
        else {
          at = next.at;
          if (state.groupDigits > 0) state.lastGroupDigits = state.groupDigits;
          state.groupDigits = 0;
          if (next.hasBreak) state.breakCount += 1;
        }
      }
      sink.show();
      return at;
    },
    get isEnded() {
      return state.isEnded;
    },
    get characterCount() {
      return state.count;
    },
    rest: '',
  };
}

function readPairs(text: string, from: number, state: State, sink: ByteSink): number {
  let at = from;
  for (; at + 1 < text.length; at += 2) {
    const high = hexValues[text.charCodeAt(at)] ?? NO_DIGIT;
    const low = hexValues[text.charCodeAt(at + 1)] ?? NO_DIGIT;
    if ((high | low) >= NO_DIGIT) break;
    sink.push(high * 16 + low);
  }
  state.count += at - from;
  state.groupDigits += at - from;
  return at;
}

/** The group of digits behind what may separate it; undefined where more of the text is needed. */
function findGroup(text: string, from: number, isWhole: boolean): Group | 'none' | undefined {
  let at = from;
  let hasBreak = false;
  let hasMark = false;
  for (;;) {
    const gap = readGap(text, at, isWhole);
    if (gap === undefined) return undefined;
    hasBreak ||= gap.hasBreak;
    at = gap.end;
    if (hasMark || at >= text.length || !separators.includes(text.charAt(at))) break;
    hasMark = true;
    at += 1;
  }
  const prefix = readPrefix(text, at, isWhole);
  if (prefix === MORE) return undefined;
  at += prefix;
  if (at === from) return 'none';
  let end = at;
  const limit = Math.min(at + MAX_GROUP, text.length);
  while (end < limit && (hexValues[text.charCodeAt(end)] ?? NO_DIGIT) < NO_DIGIT) end += 1;
  if (end === text.length && !isWhole) return undefined;
  const isLong = end - at === MAX_GROUP;
  const isGroup = end > at && (isLong || ((end - at) % 2 === 0 && !word.test(text.charAt(end))));
  if (!isGroup) return 'none';
  const isClosed = end < text.length && CLOSING.includes(text.charAt(end));
  const isSetOff = hasBreak && (isClosed || INDENT.test(text.slice(from, at)));
  return { at, digits: text.slice(at, end), hasBreak, isSetOff };
}

/** Length of `0x` or `\x`. */
function readPrefix(text: string, at: number, isWhole: boolean): number {
  if (/^0?$/.test(text.slice(at, at + 2)) && !isWhole) return MORE;
  if (/^0x$/i.test(text.slice(at, at + 2))) return 2;
  const character = readCharacter(text, at, isWhole);
  if (character === MORE) return MORE;
  return lengthOf(character) > 1 && /x/i.test(String.fromCharCode(codeOf(character))) ? lengthOf(character) : 0;
}

/** Words are spelled in these digits, too: behind the end of a file there is nothing of it, behind a line only what is like that line. */
function isPart({ digits, hasBreak, isSetOff }: Group, state: State, { probe }: ByteSink): boolean {
  if (state.count === 0) return true;
  const end = probe.endBehind(noBytes);
  if (end === 'done') return false;
  if (!hasBreak || end === 'open') return true;
  const isSaid = probe.goesOnWith(Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)));
  if (isSaid !== undefined) return isSaid;
  const isFull = digits.length === Math.min(MAX_GROUP, state.lastGroupDigits || state.groupDigits);
  return isFull || digits.length >= 16 || (state.breakCount > 0 && (isSetOff || !/^[a-f]{2,8}$/i.test(digits)));
}
