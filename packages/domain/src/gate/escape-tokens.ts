import { ID_LENGTH, isIdCharacter, isIdShape, VARIANT_AT, VERSION_AT } from './find-candidates.ts';

const UNDERSCORE = 0x5f;
const A = 0x61;
const T = 0x74;
/** The token of an escape that spells neither an id nor another escape. */
const OTHER = 0;
/** Added to a character whose escape ends in an `a`, which may as well begin an id. */
const HIDES_A = 0x80;
const CHARACTER = 0x7f;
/** From the end of the prefix to the last character of an id. */
const LAST = ID_LENGTH - 4;

const rest: number[] = new Array(LAST).fill(0);

/** The characters read so far, as ASCII code units, some of which hide an `a`. */
export type Tokens = number[];

/** The token for what an escape means that ends in the character `last`. */
export function makeToken(value: number, last: number): number {
  const code = value <= CHARACTER ? value : OTHER;
  return last === A ? code | HIDES_A : code;
}

/** Whether the last tokens may be the first of an id. */
export function isIdUnderWay(tokens: Tokens, length: number): boolean {
  for (let index = length - 1; index >= length - LAST; index -= 1) {
    const code = (tokens[index] ?? OTHER) & CHARACTER;
    if (code === UNDERSCORE && isPrefix(tokens, index)) return true;
    if (!isIdCharacter(code)) return false;
  }
  return false;
}

/** Adds the candidates among the first tokens. */
export function findAmongTokens(tokens: Tokens, length: number, found: Set<string>): void {
  for (let index = 3; index + LAST < length; index += 1) {
    if (tokens[index] !== UNDERSCORE || !isIdCharacter((tokens[index + LAST] ?? OTHER) & CHARACTER)) continue;
    const rest = isPrefix(tokens, index) ? readRest(tokens, index + 1) : undefined;
    if (rest !== undefined) found.add(`att_${rest}`);
  }
}

/** Whether an `att_` ends at `index`, also where its `a` is hidden. */
function isPrefix(tokens: Tokens, index: number): boolean {
  const first = tokens[index - 3] ?? OTHER;
  return tokens[index - 2] === T && tokens[index - 1] === T && (first === A || (first & HIDES_A) !== 0);
}

function readRest(tokens: Tokens, from: number): string | undefined {
  for (let index = 0; index < LAST; index += 1) {
    const code = (tokens[from + index] ?? OTHER) & CHARACTER;
    if (!isIdCharacter(code)) return undefined;
    rest[index] = code;
  }
  const isShape = isIdShape(rest[VERSION_AT] ?? OTHER, rest[VARIANT_AT] ?? OTHER);
  return isShape ? String.fromCharCode.apply(undefined, rest) : undefined;
}
