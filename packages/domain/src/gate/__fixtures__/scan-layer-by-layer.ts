// The scanner before the one that reads each character once: it decodes a text again and again and looks at every layer. Slow where
// escapes are deep, and plain enough to say what must be found.

/** The candidates that any layer of a text shows, in whichever order its escapes are decoded. */
export function scanLayerByLayer(text: string): Set<string> {
  const found = new Set<string>();
  const pending = [text];
  const seen = new Set<string>();
  for (let layer = pending.pop(); layer !== undefined; layer = pending.pop()) {
    if (seen.has(layer)) continue;
    seen.add(layer);
    findCandidates(layer, found);
    for (const next of decodeRuns(layer, ID_LENGTH)) pending.push(next);
  }
  return found;
}

/** Characters of an attachment id: `att_` and 16 bytes as base64url. */
const ID_LENGTH = 26;

// The 22 characters are matched by a lookahead and not consumed, so that one candidate may begin inside another.
const candidatePattern = /att_(?=([\w-]{8}[QRST][\w-][CGKOSWaeimquy26-][\w-]{11}))/g;

/** Adds whatever is spelled like an attachment id, in any letter case, at every offset of `text`, as it is there. */
function findCandidates(text: string, found: Set<string>): void {
  if (!text.includes('_')) return;
  candidatePattern.lastIndex = 0;
  for (let match = candidatePattern.exec(text); match !== null; match = candidatePattern.exec(text)) {
    found.add(match[0] + match[1]);
  }
}

// An id, however it is escaped, is spelled in letters, digits and `_-%\`, and only an escape of one of these can lead to one.
const escapePattern = /(?:%|\\u00)(?:2[5Dd]|3[0-9]|[46][1-9A-Fa-f]|5[0-9AaCcFf]|7[0-9Aa])/g;
const restOfRun = /[A-Za-z0-9_%\\-]*/y;

const runCharacters = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_%\\-')
  runCharacters[character.charCodeAt(0)] = 1;

/**
 * Decodes the escapes of a text by one layer. Each stretch that could hold an escaped text of at least `minLength` id characters is decoded twice: once as
 * percent-encoding and once as a JSON string. The two are separate, not one after the other: `\u000a` eats the `a` of an `att%5f` that percent-decoding shows.
 * JSON inside a text needs no parser, since all it can do to an id is to escape its characters.
 */
function decodeRuns(text: string, minLength: number): string[] {
  if (!text.includes('%') && !text.includes('\\')) return [];
  const layers: string[] = [];
  escapePattern.lastIndex = 0;
  for (let match = escapePattern.exec(text); match !== null; match = escapePattern.exec(text)) {
    const run = readRun(text, match.index);
    escapePattern.lastIndex = restOfRun.lastIndex;
    if (run.length <= minLength) continue;
    for (const layer of decodeRun(run)) if (layer.length >= minLength && layer.length < run.length) layers.push(layer);
  }
  return layers;
}

/** The run around `index`; `restOfRun.lastIndex` is its end afterwards. */
function readRun(text: string, index: number): string {
  let start = index;
  while (runCharacters[text.charCodeAt(start - 1)] === 1) start -= 1;
  restOfRun.lastIndex = index;
  restOfRun.test(text);
  return text.slice(start, restOfRun.lastIndex);
}

function decodeRun(run: string): string[] {
  const layers: string[] = [];
  if (run.includes('%')) layers.push(decodePercent(run));
  if (run.includes('\\')) layers.push(decodeJsonEscapes(run));
  return layers;
}

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
/** The maximum of codes for the arguments of one call. */
const CHUNK = 4096;

const hexValues = new Int8Array(128).fill(-1);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  hexValues[digit.charCodeAt(0)] = value;
  hexValues[digit.toUpperCase().charCodeAt(0)] = value;
}

const shortEscapes = new Int8Array(128).fill(-1);
for (const [letter, meaning] of Object.entries({ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', '\\': '\\' })) {
  shortEscapes[letter.charCodeAt(0)] = meaning.charCodeAt(0);
}

/** Percent-encoding undone once: one character for each byte, which is right for ASCII. What is not well encoded stays as it is. */
function decodePercent(text: string): string {
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; length += 1) {
    const code = text.charCodeAt(index);
    const byte = code === PERCENT ? readHex(text, index + 1, 2) : -1;
    codes[length] = byte < 0 ? code : byte;
    index += byte < 0 ? 1 : 3;
  }
  return textOf(codes, length);
}

/** The escapes of a JSON string undone once, but for `\"` and `\/`, which no id is near. What is no escape stays as it is. */
function decodeJsonEscapes(text: string): string {
  const codes = new Uint16Array(text.length);
  let length = 0;
  for (let index = 0; index < text.length; length += 1) {
    const code = text.charCodeAt(index);
    const unit = code === BACKSLASH ? readJsonEscape(text, index) : -1;
    codes[length] = unit < 0 ? code : unit;
    index += unit < 0 ? 1 : text.charCodeAt(index + 1) === LOWER_U ? 6 : 2;
  }
  return textOf(codes, length);
}

/** The code unit that the escape at `index` means, or less than 0 where there is none. */
function readJsonEscape(text: string, index: number): number {
  const letter = text.charCodeAt(index + 1);
  return letter === LOWER_U ? readHex(text, index + 2, 4) : (shortEscapes[letter] ?? -1);
}

function readHex(text: string, start: number, digits: number): number {
  let value = 0;
  for (let index = start; index < start + digits; index += 1) {
    const digit = hexValues[text.charCodeAt(index)] ?? -1;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function textOf(codes: Uint16Array, length: number): string {
  let text = '';
  for (let start = 0; start < length; start += CHUNK) {
    text += String.fromCharCode(...codes.subarray(start, Math.min(length, start + CHUNK)));
  }
  return text;
}
