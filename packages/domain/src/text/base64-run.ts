/** A stretch of base64, standard or url-safe; line breaks, JSON escapes and percent escapes inside it do not end it. */
export type Base64Run = { end: number; characters: number; letters: number };

/** Lines of wrapped base64 are at least this long, all but the last; shorter lines are words, one to a line. */
const MIN_WRAPPED_LINE = 40;

const alphabet = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789')
  alphabet[character.charCodeAt(0)] = 1;
for (const character of '+/-_') alphabet[character.charCodeAt(0)] = 2;

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const EQUALS = 0x3d;

/** Reads the base64 that starts at `start`, over line breaks and with its padding. `characters` is 0 where there is none. */
export function readBase64Run(text: string, start: number): Base64Run {
  const run = readLine(text, start);
  let line = run;
  while (line.characters >= MIN_WRAPPED_LINE) {
    const lineStart = line.end + lineBreakLength(text, line.end);
    if (lineStart === line.end) break;
    line = readLine(text, lineStart);
    if (line.characters === 0 || !(line.characters >= MIN_WRAPPED_LINE || endsHere(text, line.end))) break;
    run.end = line.end;
    run.characters += line.characters;
    run.letters += line.letters;
  }
  if (run.characters > 0) run.end = skipPadding(text, run.end);
  return run;
}

function readLine(text: string, start: number): Base64Run {
  let end = start;
  let characters = 0;
  let letters = 0;
  for (;;) {
    const kind = alphabet[text.charCodeAt(end)] ?? 0;
    const length = kind > 0 ? 1 : escapedLength(text, end);
    if (length === 0) return { end, characters, letters };
    end += length;
    characters += 1;
    if (kind === 1) letters += 1;
  }
}

/** Length of an escape that means a base64 character: `\/`, `\u002b`, `\u002f`, `%2B`, `%2F`; 0 where there is none. */
function escapedLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code === PERCENT) return /^%2[bf]$/i.test(text.slice(index, index + 3)) ? 3 : 0;
  if (code !== BACKSLASH) return 0;
  const slashes = countBackslashes(text, index);
  const after = text.slice(index + slashes, index + slashes + 5);
  if (after.startsWith('/')) return slashes + 1;
  return /^u002[bf]$/i.test(after) ? slashes + 5 : 0;
}

/** Length of an escaped character that is not part of base64 (`\n`, `\u0041`, `%2C`), so that its letters are not read as such; 0 where none is. */
export function escapeLength(text: string, index: number): number {
  const code = text.charCodeAt(index);
  if (code === PERCENT) return /^%[0-9a-f]{2}$/i.test(text.slice(index, index + 3)) ? 3 : 0;
  if (code !== BACKSLASH) return 0;
  const slashes = countBackslashes(text, index);
  return slashes + (/^u[0-9a-f]{4}$/i.test(text.slice(index + slashes, index + slashes + 5)) ? 5 : 1);
}

function countBackslashes(text: string, index: number): number {
  let end = index;
  while (text.charCodeAt(end) === BACKSLASH) end += 1;
  return end - index;
}

// A line break as it is, or escaped by JSON once or more, with the blanks that indent the next line.
const lineBreakPattern = /(?:\r?\n|\\{1,8}r\\{1,8}n|\\{1,8}n)[ \t]{0,64}/y;

function lineBreakLength(text: string, index: number): number {
  lineBreakPattern.lastIndex = index;
  return lineBreakPattern.exec(text)?.[0].length ?? 0;
}

function endsHere(text: string, index: number): boolean {
  return index >= text.length || /[\s=\\"'`<>()[\]{},;%]/.test(text.charAt(index));
}

const escapedPadding = /(?:%3d|\\{1,8}u003d)/iy;

function skipPadding(text: string, index: number): number {
  let end = index;
  for (let count = 0; count < 2; count += 1) {
    escapedPadding.lastIndex = end;
    if (text.charCodeAt(end) === EQUALS) end += 1;
    else end += escapedPadding.exec(text)?.[0].length ?? 0;
  }
  return end;
}
