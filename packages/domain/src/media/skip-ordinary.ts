import { base64Values, NO_VALUE } from './encoding/base64-values.ts';
import { isBlank } from './encoding/read-character.ts';
import { headsOf } from './spelled-heads.ts';

/** A run of this length may be a line of base64. Shorter ones are words, names, ids and digests. */
export const MIN_LINE = 41;
/** JSON in JSON in JSON has this many before a quote. More are left to a closer look. */
const MAX_BACKSLASHES = 7;
const COLON = 0x3a;
const QUOTE = 0x22;
const NEWLINE = 0x0a;
const RETURN = 0x0d;
const BACKSLASH = 0x5c;
const PERCENT = 0x25;
const SLASH = 0x2f;
const LOWER_A = 0x61;
const LOWER_B = 0x62;
const LOWER_U = 0x75;
const LOWER_X = 0x78;
/** Takes the place of every character outside ASCII: no encoding contains either. */
const DELETE = 0x7f;
/** The length of `data` in `data:`. */
export const URL_SCHEME_LENGTH = 4;

/** The context before a character, as far as it decides whether a start is possible there. */
type Before = {
  /** Characters of base64 without a break, and the first of them where it is the only one. */
  word: number;
  first: number;
  backslashes: number;
  /** The last letter before the backslashes is one that keys of files end in. */
  endsLikeKey: boolean;
  /** `key`: the end of such a key, and what may separate it from its value. `value`: the quote behind that. `unknown`: any of these. */
  quote: 'none' | 'key' | 'value' | 'unknown';
  isBehindLine: boolean;
  isBehindBlankLine: boolean;
};

const NOTHING: Before = {
  ...{ word: 0, first: 0, backslashes: 0, endsLikeKey: false },
  ...{ quote: 'none', isBehindLine: false, isBehindBlankLine: false },
};

const KEY: Before = { ...NOTHING, endsLikeKey: true };
const UNKNOWN: Before = { ...NOTHING, quote: 'unknown', isBehindLine: true };

const CODES = 128;
/** The first states of the table, in this order. */
const [AFTER_WORD, AFTER_KEY, AFTER_ANYTHING, LOOK] = [0, 1, 2, 3];

let table: ReturnType<typeof tabulate> | undefined;

/**
 * Skips text in which no encoding, data URL or line of base64 can begin. `from` must be the beginning of a word, an escape or any other
 * character. Returns where the next word or escape begins that needs a closer look, at most `to`.
 */
export function skipOrdinary(text: string, from: number, to: number): number {
  table ??= tabulate();
  const { next, lengths } = table;
  let state = from === 0 ? AFTER_WORD : stateBehind(text.charCodeAt(from - 1));
  let at = from;
  for (; at < to; at += 1) {
    const code = text.charCodeAt(at);
    const after = next[state * CODES + (code < CODES ? code : DELETE)] ?? LOOK;
    if (after === LOOK) break;
    state = after;
  }
  return at - (lengths[state] ?? 0);
}

/** The state at the first character, by the last character of what was looked at before. */
function stateBehind(last: number): number {
  if (base64Values[last] === NO_VALUE) return AFTER_ANYTHING;
  return isLastOfKey(last) ? AFTER_KEY : AFTER_WORD;
}

/** The rules below as a table, so that each character costs one look-up. */
function tabulate(): { next: Uint8Array; lengths: Uint8Array } {
  const states: Before[] = [NOTHING, KEY, UNKNOWN, NOTHING];
  const numbers = new Map(states.slice(0, LOOK).map((state, number) => [keyOf(state), number]));
  const numberOf = (state: Before | undefined): number => {
    if (state === undefined) return LOOK;
    const key = keyOf(state);
    const known = numbers.get(key) ?? states.push(state) - 1;
    numbers.set(key, known);
    return known;
  };
  const next: number[] = [];
  for (let state = 0; state < states.length; state += 1) {
    const before = states[state] ?? NOTHING;
    for (let code = 0; code < CODES; code += 1) next.push(state === LOOK ? LOOK : numberOf(pass(before, code)));
  }
  return {
    next: Uint8Array.from(next),
    lengths: Uint8Array.from(states, ({ word, backslashes }) => word + backslashes),
  };
}

const keyOf = ({ word, first, backslashes, endsLikeKey, quote, isBehindLine, isBehindBlankLine }: Before): number => {
  const flags = (endsLikeKey ? 1 : 0) + (isBehindLine ? 2 : 0) + (isBehindBlankLine ? 4 : 0);
  const quotes = ['none', 'key', 'value', 'unknown'].indexOf(quote);
  return (((first * MIN_LINE + word) * (MAX_BACKSLASHES + 1) + backslashes) * 4 + quotes) * 8 + flags;
};

/** The state after a character; undefined where a start is possible, also where a closer look then finds none. */
function pass(before: Before, code: number): Before | undefined {
  const { word, first, backslashes } = before;
  if (word === 1 && (headsOf(first, code) !== 0 || code === BACKSLASH)) return undefined;
  if (word === URL_SCHEME_LENGTH && code === COLON) return undefined;
  if (code === PERCENT) return undefined;
  if (code === BACKSLASH) return backslashes < MAX_BACKSLASHES ? passBackslash(before) : undefined;
  if (code === QUOTE) return passQuote(before);
  if (backslashes > 0 && (code === SLASH || code === LOWER_U || code === LOWER_X)) return undefined;
  if (backslashes === 0 && base64Values[code] !== NO_VALUE) return passWord(before, code);
  return passPlain(before, code);
}

const passBackslash = ({ backslashes, endsLikeKey, quote }: Before): Before => ({
  ...{ ...NOTHING, backslashes: backslashes + 1, endsLikeKey },
  quote: quote === 'value' ? 'none' : quote,
});

function passQuote({ endsLikeKey, quote }: Before): Before {
  if (endsLikeKey) return { ...NOTHING, quote: 'key' };
  if (quote === 'unknown') return UNKNOWN;
  return quote === 'key' ? { ...NOTHING, quote: 'value' } : NOTHING;
}

function passWord({ word, quote, isBehindBlankLine }: Before, code: number): Before | undefined {
  if (word + 1 === MIN_LINE || quote === 'value' || quote === 'unknown' || isBehindBlankLine) return undefined;
  return { ...NOTHING, word: word + 1, first: word === 0 ? code : 0, endsLikeKey: isLastOfKey(code) };
}

/** Keys of files end in `data` or `blob`. */
const isLastOfKey = (code: number): boolean => (code | 0x20) === LOWER_A || (code | 0x20) === LOWER_B;

function passPlain({ backslashes, quote, isBehindLine }: Before, code: number): Before {
  const staysKey = (quote === 'key' || quote === 'unknown') && backslashes === 0 && (code === COLON || isBlank(code));
  const staysLine = code === NEWLINE || (code === RETURN && isBehindLine);
  if (!staysKey && !staysLine) return NOTHING;
  return {
    ...{ ...NOTHING, quote: staysKey ? 'key' : 'none' },
    ...{ isBehindLine: staysLine, isBehindBlankLine: code === NEWLINE && isBehindLine },
  };
}
