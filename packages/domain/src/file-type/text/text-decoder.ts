import { createUtf32Decoder, isUtf32 } from './utf32.ts';

/** Decodes text in pieces. Throws for bytes that are not text: what `isDecodingError` knows. Drops a byte order mark. */
export type PieceDecoder = { decode(chunk?: Uint8Array, options?: { stream?: boolean }): string };

/** Label of an encoding as in the WHATWG Encoding Standard, or of UTF-32; undefined for any other name. */
export function findLabel(name: string): string | undefined {
  if (isUtf32(name)) return name;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/** The label must be known. */
export function createPieceDecoder(encoding: string): PieceDecoder {
  return isUtf32(encoding) ? createUtf32Decoder(encoding) : new TextDecoder(encoding, { fatal: true });
}

/** Whether a decoder threw it because of the bytes. */
export function isDecodingError(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** How a text begins. The label must be known; what is wrong in it becomes a replacement character. */
export function decodeOpening(head: Uint8Array, encoding: string): string {
  if (!isUtf32(encoding)) return new TextDecoder(encoding).decode(head, { stream: true });
  try {
    return createUtf32Decoder(encoding).decode(head, { stream: true });
  } catch {
    return '';
  }
}
