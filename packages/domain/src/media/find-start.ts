import { base64Values, NO_VALUE } from './encoding/base64-values.ts';
import { type DataUrlHead, readDataUrlHead } from './encoding/data-url-head.ts';
import { beginsDump } from './encoding/dump-encoding.ts';
import { MAX_BASE64_CHARACTERS } from './encoding/encoding.ts';
import { codeOf, isBlank, lengthOf, MORE, readCharacter } from './encoding/read-character.ts';
import { isFileValue, typeOfMailPart } from './file/declared-type.ts';
import { signatures } from './file/media-signatures.ts';
import { narrowHeads } from './narrow-heads.ts';
import { MIN_LINE, skipOrdinary, URL_SCHEME_LENGTH } from './skip-ordinary.ts';
import { HEX_HEAD, headsOf } from './spelled-heads.ts';

/** A place where something other than text may begin, and what its first characters show. */
export type Start =
  /** An encoding may begin here; `heads` are the encodings in which it may be media. */
  | { type: 'encoding'; at: number; heads: number; isFileValue: boolean; mailType: string | undefined }
  | { type: 'data-url'; at: number; head: DataUrlHead }
  /** Characters of base64 without a break, as many as a line of it has. */
  | { type: 'line'; at: number }
  /** Nothing begins before `at`; from there on more of the text is needed, or the text ends. */
  | { type: 'none'; at: number };

const MIN_DECLARED_LENGTH = 16;
const COLON = 0x3a;
const QUOTE = 0x22;
const NEWLINE = 0x0a;
const BLANK = 0x20;
const LOWER_U = 0x75;
const LOWER_X = 0x78;
const SLASH = 0x2f;
const BACKSLASH = 0x5c;
const MAX_PLAIN_BACKSLASHES = 32;

const PLAIN = 0;
const WORD = 1;
const ESCAPE = 2;
const kinds = new Uint8Array(65_536);
for (let code = 0; code < 128; code += 1) if (base64Values[code] !== NO_VALUE) kinds[code] = WORD;
kinds['\\'.charCodeAt(0)] = ESCAPE;
kinds['%'.charCodeAt(0)] = ESCAPE;

/** The next start from `from` on. `tried` was looked at before, and is no media. Linear: each character is passed once. */
export function findStart(text: string, from: number, tried: number, isWhole: boolean): Start {
  const ordinaryTo = text.length - MAX_OFFSET;
  let at = from;
  while (at < text.length) {
    if (at > 0 && at !== tried) at = skipOrdinary(text, at, ordinaryTo);
    const found = lookAt(text, at, at === tried, isWhole);
    if (typeof found !== 'number') return found;
    at = found;
  }
  return { type: 'none', at };
}

/** The start at `at`, which is the beginning of a word, an escape or any other character; without a start, where that ends. */
export function lookAt(text: string, at: number, isTried: boolean, isWhole: boolean): Start | number {
  const kind = kinds[text.charCodeAt(at)] ?? PLAIN;
  if (kind === PLAIN) return at + 1;
  return kind === ESCAPE ? lookAtEscape(text, at, isTried, isWhole) : lookAtWord(text, at, isTried, isWhole);
}

function lookAtEscape(text: string, at: number, isTried: boolean, isWhole: boolean): Start | number {
  const behind = skipPlainEscape(text, at);
  if (behind > at) return behind;
  const start = isTried ? undefined : startAtEscape(text, at, isWhole);
  if (start !== undefined) return start;
  const character = readCharacter(text, at, isWhole);
  return character === MORE ? { type: 'none', at } : at + Math.max(1, lengthOf(character));
}

function lookAtWord(text: string, at: number, isTried: boolean, isWhole: boolean): Start | number {
  const start = !isTried && deservesLook(text, at) ? startAtToken(text, at, isWhole) : undefined;
  if (start !== undefined) return start;
  const end = skipToken(text, at);
  if (end - at >= MIN_LINE) return endOfShortRun(text, at, isWhole) ?? { type: 'line', at };
  if (end === text.length && !isWhole) return { type: 'none', at };
  const isScheme = text.charCodeAt(end) === COLON && end - at === URL_SCHEME_LENGTH && !isTried;
  return (isScheme ? startAtUrl(text, at, isWhole) : undefined) ?? end;
}

/**
 * Whether an encoding may begin here. Most tokens are words: no encoding begins with their first two characters, and no key or line before them declares one.
 */
function deservesLook(text: string, at: number): boolean {
  // A look-up by what is no number, behind the text's end, would make all look-ups slow.
  if (at === 0 || at + 1 >= text.length) return true;
  const second = text.charCodeAt(at + 1);
  if (kinds[second] === ESCAPE) return true;
  if (headsOf(text.charCodeAt(at), second) !== 0) return true;
  const before = text.charCodeAt(at - 1);
  return before === QUOTE || (before === NEWLINE && isBehindBlankLine(text, at));
}

/** No further than a line of base64 is long: it is read as one then. */
function skipToken(text: string, from: number): number {
  let at = from;
  const limit = Math.min(from + MIN_LINE, text.length);
  while (at < limit && kinds[text.charCodeAt(at)] === WORD) at += 1;
  return at;
}

/** Finds the end of a run of base64 that is too short to be taken out and continues in no other line; undefined if the run is not like that. */
function endOfShortRun(text: string, from: number, isWhole: boolean): number | undefined {
  let at = from;
  const limit = Math.min(from + MAX_BASE64_CHARACTERS, text.length);
  while (at < limit && kinds[text.charCodeAt(at)] === WORD) at += 1;
  if (at - from === MAX_BASE64_CHARACTERS) return undefined;
  if (at === text.length) return isWhole ? at : undefined;
  const code = text.charCodeAt(at);
  if (kinds[code] === ESCAPE) return undefined;
  return isBlank(code) && (code !== BLANK || text.charCodeAt(at + 1) === BLANK) ? undefined : at;
}

/** The index after an escaped character that no encoding begins with, such as a quote; `at` itself if the character has to be looked at. */
function skipPlainEscape(text: string, at: number): number {
  const limit = Math.min(at + MAX_PLAIN_BACKSLASHES, text.length);
  let end = at;
  while (end < limit && text.charCodeAt(end) === BACKSLASH) end += 1;
  if (end === at || end === limit) return at;
  const code = text.charCodeAt(end);
  return code === SLASH || code === LOWER_U || code === LOWER_X ? at : end + 1;
}

function startAtToken(text: string, at: number, isWhole: boolean): Start | undefined {
  const second = text.charCodeAt(at + 1);
  // The second character may be missing yet, or escaped.
  if (!isWhole && mayBecomeStart(text, at)) return { type: 'none', at };
  let heads = kinds[second] === ESCAPE ? headsBehind(text, at, isWhole) : headsOf(text.charCodeAt(at), second);
  if (heads === MORE) return { type: 'none', at };
  const isDump = (heads & HEX_HEAD) !== 0 && beginsDump(text, at);
  heads = isDump ? HEX_HEAD : narrowHeads(heads, text, at);
  const before = text.charCodeAt(at - 1);
  const isFile = before === QUOTE && isFileValue(text, at) && !isShortWord(text, at);
  const mailType = before === NEWLINE ? mailTypeAt(text, at) : undefined;
  if (heads === 0 && !isFile && mailType === undefined) return undefined;
  return { type: 'encoding', at, heads, isFileValue: isFile, mailType };
}

/** First bytes of media, as they are written behind `\\x`. */
const hexHeads = new Set(signatures.map(({ start }) => start.charCodeAt(0).toString(16).padStart(2, '0')));
const OPEN_OFFSET = /^0*[: \t]*[0-9a-f ]{0,8}$/i;
const MAX_OFFSET = 32;

/** At the end of the text: too little to say what it is. */
function mayBecomeStart(text: string, at: number): boolean {
  if (at + 1 >= text.length) return true;
  if (text.length - at < MAX_OFFSET && text.charAt(at) === '0' && OPEN_OFFSET.test(text.slice(at))) return true;
  return text.length - at < MIN_DECLARED_LENGTH && isBehindBlankLine(text, at);
}

/** The value of a key for data is often a word; where it ends at once it is no file. */
function isShortWord(text: string, at: number): boolean {
  for (let index = at; index < at + MIN_DECLARED_LENGTH; index += 1) {
    if (index >= text.length) return false;
    if (kinds[text.charCodeAt(index)] === PLAIN) return true;
  }
  return false;
}

function headsBehind(text: string, at: number, isWhole: boolean): number {
  const next = readCharacter(text, at + 1, isWhole);
  return next === MORE ? MORE : headsOf(text.charCodeAt(at), codeOf(next));
}

const isBehindBlankLine = (text: string, at: number): boolean =>
  text.charCodeAt(at - 2) === NEWLINE || text.charCodeAt(at - 3) === NEWLINE;

function mailTypeAt(text: string, at: number): string | undefined {
  if (!isBehindBlankLine(text, at) || skipToken(text, at) - at < MIN_DECLARED_LENGTH) return undefined;
  return typeOfMailPart(text, at);
}

/** `\/9j`, `%2F9j` and `\xff` are heads of media, too. */
function startAtEscape(text: string, at: number, isWhole: boolean): Start | undefined {
  const first = readCharacter(text, at, isWhole);
  if (first === MORE) return { type: 'none', at };
  const code = codeOf(first);
  const digits = text.slice(at + lengthOf(first), at + lengthOf(first) + 2);
  const isBackslashX = text.charAt(at) === '\\' && code === LOWER_X;
  if (isBackslashX && digits.length < 2 && !isWhole) return { type: 'none', at };
  const isByte = isBackslashX && hexHeads.has(digits.toLowerCase()) && text.charCodeAt(at - 3) !== LOWER_X;
  const value = base64Values[code] ?? NO_VALUE;
  if (!isByte && (value < 62 || value === NO_VALUE)) return undefined;
  const second = readCharacter(text, at + lengthOf(first), isWhole);
  if (second === MORE) return { type: 'none', at };
  const heads = narrowHeads(isByte ? HEX_HEAD : headsOf(code, codeOf(second)), text, at);
  return heads === 0 ? undefined : { type: 'encoding', at, heads, isFileValue: false, mailType: undefined };
}

function startAtUrl(text: string, at: number, isWhole: boolean): Start | undefined {
  if (!/^data$/i.test(text.slice(at, at + 4))) return undefined;
  const head = readDataUrlHead(text, at, isWhole);
  if (head === 'more') return { type: 'none', at };
  return head === undefined ? undefined : { type: 'data-url', at, head };
}
