/** There may be more of an escape behind the end of the text. */
export const MORE = -1;

const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const MAX_BACKSLASHES = 64;
const MAX_PERCENT_DEPTH = 8;

const escapes: Record<string, number> = { n: 0x0a, r: 0x0d, t: 0x09, b: 0x08, f: 0x0c, '\n': 0x0a, '\r': 0x0d };

/** Code and length of a character in one number, so that nothing is allocated for it. */
const pack = (code: number, length: number): number => code * 256 + length;
/** The code that `readCharacter` found. */
export const codeOf = (character: number): number => Math.floor(character / 256);
/** The number of characters in the text that spell it. */
export const lengthOf = (character: number): number => character % 256;

/**
 * The character that is at `at`, escaped by JSON or in a URL any number of times or not at all: `\/`, `\\u002b`, `%252F`. What is no whole
 * escape means itself. `MORE` where the text ends inside one and is not whole; a length of 0 at its end.
 */
export function readCharacter(text: string, at: number, isWhole: boolean): number {
  if (at >= text.length) return isWhole ? pack(0, 0) : MORE;
  const code = text.charCodeAt(at);
  if (code === BACKSLASH) return readBackslashes(text, at, isWhole);
  return code === PERCENT ? readPercent(text, at, isWhole) : pack(code, 1);
}

function readBackslashes(text: string, at: number, isWhole: boolean): number {
  let end = at + 1;
  while (text.charCodeAt(end) === BACKSLASH && end - at < MAX_BACKSLASHES) end += 1;
  if (end >= text.length) return isWhole ? pack(BACKSLASH, end - at) : MORE;
  const letter = text.charAt(end);
  if (letter !== 'u') return pack(escapes[letter] ?? text.charCodeAt(end), end - at + 1);
  const digits = text.slice(end + 1, end + 5);
  if (digits.length < 4 && !isWhole && /^[0-9a-f]*$/i.test(digits)) return MORE;
  return /^[0-9a-f]{4}$/i.test(digits)
    ? pack(Number.parseInt(digits, 16), end - at + 5)
    : pack(letter.charCodeAt(0), end - at + 1);
}

function readPercent(text: string, at: number, isWhole: boolean): number {
  let end = at + 1;
  for (let depth = 0; text.startsWith('25', end) && depth < MAX_PERCENT_DEPTH; depth += 1) end += 2;
  const digits = text.slice(end, end + 2);
  if (digits.length < 2 && !isWhole && /^[0-9a-f]*$/i.test(digits)) return MORE;
  return /^[0-9a-f]{2}$/i.test(digits) ? pack(Number.parseInt(digits, 16), end - at + 2) : pack(PERCENT, 1);
}

/** Blanks and line breaks from `at` on, as they are or escaped. */
export type Gap = { end: number; hasBreak: boolean };

const MAX_GAP = 256;

/** Undefined if the text may continue with more of the gap. */
export function readGap(text: string, at: number, isWhole: boolean): Gap | undefined {
  let end = at;
  let hasBreak = false;
  while (end - at < MAX_GAP) {
    const character = readCharacter(text, end, isWhole);
    if (character === MORE) return undefined;
    const code = codeOf(character);
    if (lengthOf(character) === 0 || !isBlank(code)) break;
    hasBreak ||= code === 0x0a || code === 0x0d;
    end += lengthOf(character);
  }
  return { end, hasBreak };
}

export const isBlank = (code: number): boolean => code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
