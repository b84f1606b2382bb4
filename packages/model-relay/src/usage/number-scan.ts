import { createStringPlace, findStringEnd, type StringPlace } from '../json/find-string-end.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  isScalar,
  isSpace,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipPlain,
} from '../json/json-bytes.ts';
import type { CountName, Wanted } from './usage-fields.ts';

// Finds single numbers in JSON while it streams through, whatever its size. Content on no wanted path is skipped: of its strings and brackets nothing is kept
// but a depth.

const MAX_KEY_BYTES = 64;
const MAX_NUMBER_BYTES = 32;

type State = 'value' | 'scalar' | 'key' | 'colon' | 'after' | 'broken';

export type NumberScan = {
  readonly wanted: Wanted;
  /** Takes each number in a wanted place, as it is spelled. */
  readonly onNumber: (name: CountName, spelled: string) => void;
  state: State;
  /** The brackets that are open on a wanted way. */
  levels: { readonly wanted: Wanted; readonly isArray: boolean }[];
  /** How many are open in a value that holds nothing wanted. */
  aside: number;
  isInString: boolean;
  place: StringPlace;
  /** The text of the key or the number that is read; undefined if it is of no use, or too long. */
  kept: string | undefined;
  /** The meaning of the next value. */
  target: Wanted | CountName | undefined;
};

export const createNumberScan = ({ wanted, onNumber }: Pick<NumberScan, 'wanted' | 'onNumber'>): NumberScan => ({
  ...{ wanted, onNumber, state: 'value', levels: [], aside: 0, isInString: false, place: createStringPlace() },
  ...{ kept: undefined, target: wanted },
});

/** Starts a new value, whatever became of the one before. */
export function beginValue(scan: NumberScan): void {
  Object.assign(scan, createNumberScan(scan));
}

/** Reads on. What is no JSON ends the scan until the next `beginValue`. */
export function scanNumbers(scan: NumberScan, bytes: Buffer): void {
  let at = 0;
  while (at < bytes.length && scan.state !== 'broken') {
    if (scan.isInString) at = takeString(scan, bytes, at);
    else if (scan.aside > 0) at = skipValue(scan, bytes, at);
    else {
      takeByte(scan, bytes[at] ?? 0);
      at += 1;
    }
  }
}

function takeString(scan: NumberScan, bytes: Buffer, from: number): number {
  const found = findStringEnd(scan.place, bytes, from);
  const end = found === -1 ? bytes.length : found;
  if (scan.state === 'key') keep(scan, bytes.toString('latin1', from, end), MAX_KEY_BYTES);
  if (found === -1) return end;
  scan.isInString = false;
  if (scan.state === 'key') endKey(scan);
  return end + 1;
}

function skipValue(scan: NumberScan, bytes: Buffer, from: number): number {
  const at = skipPlain(bytes, from);
  const byte = bytes[at];
  if (byte === QUOTE) scan.isInString = true;
  else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) scan.aside += 1;
  else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) scan.aside -= 1;
  else if (byte !== undefined) scan.state = 'broken';
  return at + 1;
}

function takeByte(scan: NumberScan, byte: number): void {
  if (scan.state === 'scalar') {
    if (isScalar(byte)) {
      keep(scan, String.fromCharCode(byte), MAX_NUMBER_BYTES);
      return;
    }
    scan.state = 'after';
    if (scan.kept !== undefined && typeof scan.target === 'string') scan.onNumber(scan.target, scan.kept);
  }
  if (!isSpace(byte)) scan.state = nextState(scan, byte);
}

function nextState(scan: NumberScan, byte: number): State {
  const level = scan.levels.at(-1);
  if (scan.state === 'value' || (scan.state === 'after' && level === undefined)) {
    if (level === undefined || level.isArray) scan.target = scan.wanted;
    return startValue(scan, byte);
  }
  if (scan.state === 'key') {
    if (byte === CLOSE_BRACE) return closeBracket(scan, false);
    scan.isInString = true;
    scan.kept = '';
    return byte === QUOTE ? 'key' : 'broken';
  }
  if (scan.state === 'colon') return byte === COLON ? 'value' : 'broken';
  if (byte === COMMA) return level?.isArray ? 'value' : 'key';
  return byte === CLOSE_BRACE || byte === CLOSE_BRACKET ? closeBracket(scan, byte === CLOSE_BRACKET) : 'broken';
}

function startValue(scan: NumberScan, byte: number): State {
  switch (byte) {
    case QUOTE:
      scan.isInString = true;
      return 'after';
    case OPEN_BRACE:
    case OPEN_BRACKET:
      return openBracket(scan, byte === OPEN_BRACKET);
    case CLOSE_BRACKET:
      return closeBracket(scan, true);
    default:
      scan.kept = typeof scan.target === 'string' ? String.fromCharCode(byte) : undefined;
      return isScalar(byte) ? 'scalar' : 'broken';
  }
}

function openBracket(scan: NumberScan, isArray: boolean): State {
  const { levels, target, wanted } = scan;
  // A stream of Google's may be one array of answers.
  const inside = isArray ? (levels.length === 0 ? wanted : undefined) : target;
  if (typeof inside === 'object') {
    levels.push({ wanted: inside, isArray });
    return isArray ? 'value' : 'key';
  }
  scan.aside = 1;
  return 'after';
}

const closeBracket = (scan: NumberScan, isArray: boolean): State =>
  scan.levels.pop()?.isArray === isArray ? 'after' : 'broken';

function endKey(scan: NumberScan): void {
  const inside = scan.levels.at(-1)?.wanted ?? {};
  const key = scan.kept === undefined ? undefined : unescapeKey(scan.kept);
  scan.target = key !== undefined && Object.hasOwn(inside, key) ? inside[key] : undefined;
  scan.state = 'colon';
}

function keep(scan: NumberScan, text: string, most: number): void {
  if (scan.kept !== undefined) scan.kept = scan.kept.length + text.length > most ? undefined : scan.kept + text;
}

function unescapeKey(spelled: string): string | undefined {
  if (!spelled.includes('\\')) return spelled;
  try {
    return String(JSON.parse(`"${spelled}"`));
  } catch {
    return undefined;
  }
}
