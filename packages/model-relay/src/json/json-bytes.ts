export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_BRACE = 0x7b;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACE = 0x7d;
export const CLOSE_BRACKET = 0x5d;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const SPACES = new Set(Buffer.from(' \t\r\n'));
/** Numbers, true, false and null are made of these. */
export const SCALARS = new Set(Buffer.from('0123456789+-.eEtrufalsn'));
/** Bytes that open and close nothing, by byte. */
export const PLAIN = Uint8Array.from({ length: 256 }, (_, byte) =>
  SPACES.has(byte) || SCALARS.has(byte) || byte === COMMA || byte === COLON ? 1 : 0,
);

const scalars = Uint8Array.from({ length: 256 }, (_, byte) => Number(SCALARS.has(byte)));
const spaces = Uint8Array.from({ length: 256 }, (_, byte) => Number(SPACES.has(byte)));
export const isScalar = (byte: number): boolean => scalars[byte] === 1;
export const isSpace = (byte: number): boolean => spaces[byte] === 1;

/** The next byte from `from` on that opens or closes something, or the end. */
export function skipPlain(chunk: Buffer, from: number): number {
  let at = from;
  while (at < chunk.length && PLAIN[chunk[at] ?? 0] === 1) at += 1;
  return at;
}
