const PIECE_BYTES = 48 * 1024;

const DATA_URL = /^data:[^,]{0,300};base64,/;
const ESCAPE = /\\(?:([nrt/])|u([0-9a-fA-F]{4}))/g;
/** An escape that the end of a piece cuts, or might. */
const CUT_ESCAPE = /\\(?:u[0-9a-fA-F]{0,3})?$/;
/** JSON allows none of them in a text. */
const CONTROL = /\p{Cc}/u;
const LETTERS = /^[A-Za-z0-9+/]*$/;
const LAST_LETTERS = /^[A-Za-z0-9+/]{0,3}={0,2}$/;

const plain: Record<string, string> = { n: '\n', r: '\r', t: '\t', '/': '/' };

const undoEscape = (_: string, letter: string | undefined, hex: string): string =>
  letter === undefined ? String.fromCharCode(Number.parseInt(hex, 16)) : (plain[letter] ?? letter);

/** The characters of a JSON text in pieces, their escapes undone; undefined where one is no valid character of base64 in any spelling. */
function* readPieces(raw: Uint8Array): Generator<string | undefined> {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength);
  for (let at = 0; at < bytes.length; ) {
    let piece = bytes.toString('latin1', at, at + PIECE_BYTES);
    const cut = at + piece.length < bytes.length ? CUT_ESCAPE.exec(piece) : null;
    if (cut && cut.index > 0) piece = piece.slice(0, cut.index);
    at += piece.length;
    if (CONTROL.test(piece)) return yield undefined;
    yield piece.includes('\\') ? piece.replaceAll(ESCAPE, undoEscape) : piece;
  }
}

/** More than a group that is not whole and its padding. */
const MAX_REST = 8;

/** Whole groups of four letters, and what is left at the end; undefined where it is no base64. */
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
    if (rest.length > MAX_REST || !LETTERS.test(whole)) return yield undefined;
    if (whole !== '') yield whole;
  }
  if (rest !== '') yield LAST_LETTERS.test(rest) ? rest : undefined;
}

const withoutHeader = (text: string): string | undefined => {
  if (!text.startsWith('data:')) return text;
  return DATA_URL.test(text) ? text.slice(text.indexOf(',') + 1) : undefined;
};

/**
 * How many bytes a text holds as base64, bare or as a data URL, with line breaks or without; undefined where it is none. `raw` is the text as
 * JSON spells it.
 */
export function measureBase64(raw: Uint8Array): number | undefined {
  let letters = 0;
  for (const group of readGroups(raw)) {
    if (group === undefined) return undefined;
    letters += group.replaceAll('=', '').length;
  }
  return letters % 4 === 1 ? undefined : Math.floor((letters * 3) / 4);
}

/** The bytes of a text that was measured, in slices. */
export function* decodeBase64(raw: Uint8Array): Generator<Buffer> {
  for (const group of readGroups(raw)) yield Buffer.from(group ?? '', 'base64');
}
