import { ID_LENGTH, isIdCharacter } from './find-candidates.ts';

const UNDERSCORE = 0x5f;
const LOWER = 0x20;
const A = 0x61;
const T = 0x74;
/** The token of an escape that spells neither an id nor another escape. */
const OTHER = 0;
/** Added to a character whose escape ends in an `a` or `A`, which may as well begin an id. */
const HIDES_LOWER_A = 0x80;
const HIDES_UPPER_A = 0x100;
const CHARACTER = 0x7f;
/** From the end of the prefix to the last character of an id. */
const LAST = ID_LENGTH - 4;

const rest: number[] = new Array(LAST).fill(0);

/** The characters read so far, as ASCII code units, some of which hide an `a`. */
export type Tokens = number[];

/** The token for what an escape means that ends in the character `last`. */
export function makeToken(value: number, last: number): number {
  const code = value <= CHARACTER ? value : OTHER;
  if ((last | LOWER) !== A) return code;
  return code | (last === A ? HIDES_LOWER_A : HIDES_UPPER_A);
}

/** Whether the last tokens may be the first of an id. */
export function isIdUnderWay(tokens: Tokens, length: number): boolean {
  for (let index = length - 1; index >= length - LAST; index -= 1) {
    const code = (tokens[index] ?? OTHER) & CHARACTER;
    if (code === UNDERSCORE && readPrefix(tokens, index) !== undefined) return true;
    if (!isIdCharacter(code)) return false;
  }
  return false;
}

/** Adds the candidates among the first tokens. */
export function findAmongTokens(tokens: Tokens, length: number, found: Set<string>): void {
  for (let index = 3; index + LAST < length; index += 1) {
    if (tokens[index] !== UNDERSCORE || !isIdCharacter((tokens[index + LAST] ?? OTHER) & CHARACTER)) continue;
    const prefix = readPrefix(tokens, index);
    const rest = prefix === undefined ? undefined : readRest(tokens, index + 1);
    if (rest !== undefined) found.add(`${prefix}${rest}`);
  }
}

/** The `att_` that ends at `index`, in its letter case, also where its `a` is hidden. */
function readPrefix(tokens: Tokens, index: number): string | undefined {
  const t1 = tokens[index - 2] ?? OTHER;
  const t2 = tokens[index - 1] ?? OTHER;
  if ((t1 | LOWER) !== T || (t2 | LOWER) !== T) return undefined;
  const a = readA(tokens[index - 3] ?? OTHER);
  return a === undefined ? undefined : String.fromCharCode(a, t1, t2, UNDERSCORE);
}

function readA(token: number): number | undefined {
  if ((token & HIDES_LOWER_A) !== 0) return A;
  if ((token & HIDES_UPPER_A) !== 0) return A - LOWER;
  return (token | LOWER) === A ? token : undefined;
}

function readRest(tokens: Tokens, from: number): string | undefined {
  for (let index = 0; index < LAST; index += 1) {
    const code = (tokens[from + index] ?? OTHER) & CHARACTER;
    if (!isIdCharacter(code)) return undefined;
    rest[index] = code;
  }
  return String.fromCharCode.apply(undefined, rest);
}
