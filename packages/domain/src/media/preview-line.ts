import { NO_VALUE } from './encoding/base64-values.ts';
import { codeOf, isBlank, lengthOf, MORE, readCharacter, readGap } from './encoding/read-character.ts';

/** A description of the line behind a gap, as far as it is needed. */
export type LinePreview = {
  /** Characters of the encoding, no more than `MAX_PREVIEW`. */
  units: number;
  /** The characters themselves, unescaped. */
  text: string;
  isPadded: boolean;
  /** Nothing else is in the line: it ends with the text, a line break, padding, or the end of a value. */
  isWhole: boolean;
  /** The line ends with something that is not text: it closes a value, or an armour. */
  isClosed: boolean;
};

const MAX_PREVIEW = 128;
const EQUALS = 0x3d;
/** A sentence ends with them, if nothing follows at once. */
const STOPS = '.:!?';
const ARMOUR = '-----';
const CLOSING = '"\'`<>()[]{},;|*';

/** Undefined if more of the text is needed to decide. `values` has the characters of the encoding. */
export function previewLine(text: string, at: number, isWhole: boolean, values: Uint8Array): LinePreview | undefined {
  let end = at;
  const limit = Math.min(at + MAX_PREVIEW, text.length);
  while (end < limit && (values[text.charCodeAt(end)] ?? NO_VALUE) !== NO_VALUE) end += 1;
  let line = text.slice(at, end);
  while (line.length < MAX_PREVIEW) {
    const character = readCharacter(text, end, isWhole);
    if (character === MORE) return undefined;
    const code = codeOf(character);
    if (lengthOf(character) === 0 || values[code] === NO_VALUE) return endLine(line, { text, end, code, isWhole });
    line += String.fromCharCode(code);
    end += lengthOf(character);
  }
  return { units: line.length, text: line, isPadded: false, isWhole: true, isClosed: false };
}

function endLine(
  line: string,
  { text, end, code, isWhole }: { text: string; end: number; code: number; isWhole: boolean },
): LinePreview | undefined {
  const preview = { units: line.length, text: line, isPadded: code === EQUALS, isClosed: false };
  if (end >= text.length || code === EQUALS) return { ...preview, isWhole: true };
  const last = String.fromCharCode(code);
  if (STOPS.includes(last)) return { ...preview, isWhole: !/\S/.test(text.charAt(end + 1)) };
  if (!isBlank(code)) return { ...preview, isWhole: CLOSING.includes(last), isClosed: CLOSING.includes(last) };
  const gap = readGap(text, end, isWhole);
  if (gap === undefined || (!isWhole && text.length - gap.end < ARMOUR.length)) return undefined;
  const isArmour = gap.hasBreak && text.startsWith(ARMOUR, gap.end);
  return { ...preview, isWhole: gap.hasBreak || gap.end >= text.length, isClosed: isArmour };
}

/** Capitals, small letters and digits, as nearly every line of base64 has them and few other lines of its length. */
export function isMixed(text: string): boolean {
  return /[A-Z]/.test(text) && /[a-z]/.test(text) && /\d/.test(text);
}

/** Whether a text is a word, a number or a name that may be alone in a line. */
export function isWordy(text: string): boolean {
  return /^(?:[A-Za-z]?[a-z]+|[A-Z]+|\d+|[-_/]+)$/.test(text);
}
