import { findAmongTokens, isIdUnderWay, makeToken, type Tokens } from './escape-tokens.ts';
import { ID_LENGTH } from './find-candidates.ts';

const PERCENT = 0x25;
const BACKSLASH = 0x5c;
const LOWER_U = 0x75;
const PERCENT_LENGTH = 3;
const JSON_LENGTH = 6;
/** Tokens for each escape that may be incomplete: more than it can have, so that there is always something to let go. */
const ROOM = 8;
/** The maximum of tokens of an id before the next one that is read. */
const KEPT = ID_LENGTH - 1;

const hexValues = new Int8Array(512).fill(-1);
for (const [value, digit] of Array.from('0123456789abcdef').entries()) {
  hexValues[digit.charCodeAt(0)] = value;
  hexValues[digit.toUpperCase().charCodeAt(0)] = value;
}

const runCharacters = new Uint8Array(128);
for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_%\\-')
  runCharacters[character.charCodeAt(0)] = 1;

/** Whether an id, however it is escaped, may be spelled with this. */
export const isRunCharacter = (code: number): boolean => code < 128 && runCharacters[code] === 1;

/**
 * Reads escapes to their innermost meaning, each character once: `%2561` is an `a`. Inside an id no escape may be left over, so each is undone as soon as it is
 * complete, in whichever order percent-encoding and JSON would be decoded. Three things remain:
 * - An `a` that ends an escape (`%2att_…`) is no part of it if it begins an id; the character that the escape means hides it.
 * - Backslashes in a row may become fewer, since `\\` is an escape, too. All but the last are slack.
 * - A `u` over slack is a `u`, or continues as `\u`. If an id may have begun there, that is ambiguous, and the reader must decode layer by layer.
 */
export type EscapeReader = {
  /** Complete escapes are one token, the others as many as they have characters. */
  tokens: Tokens;
  length: number;
  /** Positions in `tokens` at which the incomplete escapes begin, each inside the one before, and the slack of each. */
  starts: number[];
  slacks: number[];
  openCount: number;
  maxOpen: number;
  stop: Stop | undefined;
};

/** Why a run cannot be read on. */
export type Stop = 'ambiguous' | 'too-many-open';

export function createEscapeReader(maxOpen: number): EscapeReader {
  return { tokens: [], length: 0, starts: [], slacks: [], openCount: 0, maxOpen, stop: undefined };
}

/** Reads a run of characters up to `to` or its own end: the index where it ended, or why it cannot continue. */
export function readRun(
  reader: EscapeReader,
  { text, from, to }: { text: string; from: number; to: number },
  found: Set<string>,
): number | Stop {
  const maxLength = ROOM * (reader.maxOpen + KEPT);
  for (let at = from; at < to; ) {
    const code = text.charCodeAt(at);
    if (!isRunCharacter(code)) return at;
    if (reader.length >= maxLength) letGo(reader, found);
    if (reader.openCount === 0 && code !== PERCENT && code !== BACKSLASH) {
      push(reader, code);
      at += 1;
      continue;
    }
    if (code === BACKSLASH && isAfterOpening(reader, BACKSLASH)) {
      addSlack(reader, 1);
      at += 1;
      continue;
    }
    const takenLength = takeAhead(reader, text, { at, to });
    if (takenLength === 0) take(reader, code, 0);
    at += takenLength || 1;
    if (reader.stop !== undefined) return reader.stop;
  }
  return to;
}

/** Adds the candidates among all that was read, and forgets it. */
export function endRun(reader: EscapeReader, found: Set<string>): void {
  findAmongTokens(reader.tokens, reader.length, found);
  reader.length = 0;
  reader.openCount = 0;
  reader.stop = undefined;
}

/**
 * Takes at once what most escapes are: one that is there as a whole or breaks off, or all digits of one that has begun. Returns how many
 * characters that were; 0 where they must be taken one by one. The result is the same.
 */
function takeAhead(reader: EscapeReader, text: string, { at, to }: { at: number; to: number }): number {
  const code = text.charCodeAt(at);
  const isNew = code === PERCENT || code === BACKSLASH;
  if (!isNew && !isAfterOpening(reader)) return 0;
  const opening = isNew ? code : reader.tokens[reader.length - 1];
  const first = isNew ? at + 1 : at;
  const length = opening === PERCENT ? PERCENT_LENGTH - 1 : JSON_LENGTH - 1;
  if (first + length > to) return 0;
  let value = 0;
  for (let index = first; index < first + length; index += 1) {
    const next = text.charCodeAt(index);
    const digit = opening === BACKSLASH && index === first ? readU(next) : (hexValues[next] ?? -1);
    if (digit < 0) return next === PERCENT || next === BACKSLASH ? 0 : breakOff(reader, text, { at, to: index });
    value = value * 16 + digit;
  }
  if (isNew || value !== opening) {
    take(reader, makeToken(value, text.charCodeAt(first + length - 1)), isNew ? 0 : close(reader));
  }
  return first + length - at;
}

const readU = (code: number): number => (code === LOWER_U ? 0 : -1);

/** Before a character that is in no escape, incomplete escapes stay incomplete. */
function breakOff(reader: EscapeReader, text: string, { at, to }: { at: number; to: number }): number {
  reader.openCount = 0;
  for (let index = at; index < to; index += 1) push(reader, text.charCodeAt(index));
  return to - at;
}

/** Takes a character or what an escape means, and undoes all escapes that it completes. */
function take(reader: EscapeReader, token: number, slackBefore: number): void {
  let code = token;
  let slack = slackBefore;
  for (;;) {
    if (code === LOWER_U && slack > 0) {
      if (isIdUnderWay(reader.tokens, reader.length)) reader.stop = 'ambiguous';
      open(reader, BACKSLASH, slack - 1);
    }
    if (code === PERCENT || code === BACKSLASH) {
      if (code === BACKSLASH && isAfterOpening(reader, BACKSLASH)) addSlack(reader, slack + 1);
      else open(reader, code, slack);
      return;
    }
    if (reader.openCount === 0 || !continuesEscape(reader, code)) {
      reader.openCount = 0;
      push(reader, code);
      return;
    }
    push(reader, code);
    const { tokens, length } = reader;
    const start = reader.starts[reader.openCount - 1] ?? 0;
    if (length - start < (tokens[start] === PERCENT ? PERCENT_LENGTH : JSON_LENGTH)) return;
    code = readValue(tokens, start, length);
    slack = close(reader);
  }
}

function push(reader: EscapeReader, code: number): void {
  reader.tokens[reader.length] = code;
  reader.length += 1;
}

function open(reader: EscapeReader, code: number, slack: number): void {
  const { openCount } = reader;
  reader.starts[openCount] = reader.length;
  reader.slacks[openCount] = slack;
  push(reader, code);
  if (openCount === reader.maxOpen) reader.stop = 'too-many-open';
  else reader.openCount = openCount + 1;
}

/** Takes the innermost escape away; returns its slack. */
function close(reader: EscapeReader): number {
  reader.openCount -= 1;
  reader.length = reader.starts[reader.openCount] ?? 0;
  return reader.slacks[reader.openCount] ?? 0;
}

/** Whether the last token opens an escape that has no more yet: this one or, without `code`, any. */
function isAfterOpening({ tokens, length, starts, openCount }: EscapeReader, code?: number): boolean {
  return openCount > 0 && starts[openCount - 1] === length - 1 && (code === undefined || tokens[length - 1] === code);
}

function addSlack({ slacks, openCount }: EscapeReader, slack: number): void {
  slacks[openCount - 1] = (slacks[openCount - 1] ?? 0) + slack;
}

function continuesEscape({ tokens, length, starts, openCount }: EscapeReader, code: number): boolean {
  const start = starts[openCount - 1] ?? 0;
  return tokens[start] === BACKSLASH && length === start + 1 ? code === LOWER_U : (hexValues[code] ?? -1) >= 0;
}

/** The token for what the complete escape means. */
function readValue(tokens: Tokens, start: number, end: number): number {
  let value = 0;
  for (let index = tokens[start] === PERCENT ? start + 1 : start + 2; index < end; index += 1) {
    value = value * 16 + (hexValues[tokens[index] ?? 0] ?? 0);
  }
  return makeToken(value, tokens[end - 1] ?? 0);
}

/** Forgets what no later character can change, but for what may begin an id. */
function letGo(reader: EscapeReader, found: Set<string>): void {
  const { tokens, length, starts, openCount } = reader;
  const settled = openCount > 0 ? (starts[0] ?? 0) : length;
  const keptFrom = settled - KEPT;
  findAmongTokens(tokens, settled, found);
  for (let index = keptFrom; index < length; index += 1) tokens[index - keptFrom] = tokens[index] ?? 0;
  reader.length = length - keptFrom;
  for (let index = 0; index < openCount; index += 1) starts[index] = (starts[index] ?? 0) - keptFrom;
}
