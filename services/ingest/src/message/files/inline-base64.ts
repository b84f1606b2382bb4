import { setImmediate as nextTurn } from 'node:timers/promises';

const PIECE_BYTES = 48 * 1024;

const DATA_URL = /^data:[^,]{0,300};base64,/;
const ESCAPE = /\\(?:([nrt/])|u([0-9a-fA-F]{4}))/g;
/** An escape that the end of a piece cuts, or might. */
const CUT_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
/** JSON allows none of them in a text. */
const CONTROL = /\p{Cc}/u;
const NOT_LATIN = /[^\0-\xff]/;
const LAST_LETTERS = /^[A-Za-z0-9+/]{0,3}={0,2}$/;

const plain: Record<string, string> = { n: '\n', r: '\r', t: '\t', '/': '/' };

const undoEscape = (_: string, letter: string | undefined, hex: string): string =>
  letter === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : (plain[letter] ?? letter);

const decoded = Buffer.allocUnsafe(PIECE_BYTES);

/**
 * Whether whole groups are letters of base64 alone. The decoder skips other characters, takes those of base64url, and of a wider character
 * one half. A pattern takes thirty times as long.
 */
const areLetters = (whole: string): boolean =>
  !NOT_LATIN.test(whole) &&
  !whole.includes('-') &&
  !whole.includes('_') &&
  decoded.write(whole, 'base64') === (whole.length / 4) * 3;

/** The characters of a JSON text in pieces, their escapes undone; undefined if one is no valid character of base64 in any spelling. */
function* readPieces(raw: Uint8Array): Generator<string | undefined> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  for (let at = 0; at < bytes.length; ) {
    let piece = bytes.toString('latin1', at, at + PIECE_BYTES);
    const cut = at + piece.length < bytes.length ? CUT_ESCAPE.exec(piece) : null;
    if (cut && cut.index > 0) piece = piece.slice(0, cut.index);
    at += piece.length;
    if (areLetters(piece)) {
      yield piece;
      continue;
    }
    if (CONTROL.test(piece)) return yield undefined;
    yield piece.includes('\\') ? piece.replaceAll(ESCAPE, undoEscape) : piece;
  }
}

/** More than a group that is not whole and its padding. */
const MAX_REST = 8;

/** Whole groups of four characters, and what is left at the end; undefined if it is no base64. */
function* readGroups(raw: Uint8Array): Generator<string | undefined> {
  let rest = '';
  let isFirst = true;
  for (const piece of readPieces(raw)) {
    const text = piece !== undefined && isFirst ? withoutHeader(piece) : piece;
    if (text === undefined) return yield undefined;
    isFirst = false;
    const letters = rest + (/\s/.test(text) ? text.replaceAll(/\s/g, '') : text);
    const padding = letters.indexOf('=');
    const end = padding === -1 ? letters.length : padding;
    const whole = letters.slice(0, end - (end % 4));
    rest = letters.slice(whole.length);
    if (rest.length > MAX_REST) return yield undefined;
    if (whole !== '') yield whole;
  }
  if (rest !== '') yield LAST_LETTERS.test(rest) ? rest : undefined;
}

const withoutHeader = (text: string): string | undefined => {
  if (!text.startsWith('data:')) return text;
  return DATA_URL.test(text) ? text.slice(text.indexOf(',') + 1) : undefined;
};

/** Groups after which others have their turn: less than a millisecond. */
const GROUPS_A_TURN = 16;

/**
 * How many bytes a text holds as base64, bare or as a data URL, with line breaks or without; undefined if it is none. `raw` is the text as
 * JSON spells it.
 */
export async function measureBase64(raw: Uint8Array): Promise<number | undefined> {
  let letters = 0;
  let groups = 0;
  for (const group of readGroups(raw)) {
    if (group === undefined) return undefined;
    const isWhole = group.length % 4 === 0 && !group.includes('=');
    if (isWhole && !areLetters(group)) return undefined;
    letters += isWhole ? group.length : group.replaceAll('=', '').length;
    groups += 1;
    if (groups % GROUPS_A_TURN === 0) await nextTurn();
  }
  return letters % 4 === 1 ? undefined : Math.floor((letters * 3) / 4);
}

/** The bytes of a text that was measured, in slices, with a turn for others after each. */
export async function* decodeBase64(raw: Uint8Array): AsyncGenerator<Buffer> {
  for (const group of readGroups(raw)) {
    yield Buffer.from(group ?? '', 'base64');
    await nextTurn();
  }
}
