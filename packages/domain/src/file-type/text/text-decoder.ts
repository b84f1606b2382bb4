import { createCodePageDecoder, findOtherLabel, isCodePage } from './code-pages.ts';
import type { Faults, PieceDecoder } from './piece-decoder.ts';
import { createUtf32Decoder, isUtf32 } from './utf32.ts';

/** Label of an encoding: of the WHATWG Encoding Standard, of UTF-32, or of a code page. Undefined for a name that nothing here decodes. */
export function findLabel(name: string): string | undefined {
  const label = name.trim().toLowerCase();
  if (isUtf32(label)) return label;
  const other = findOtherLabel(label) ?? label;
  if (isCodePage(other)) return other;
  try {
    return new TextDecoder(other).encoding;
  } catch {
    return undefined;
  }
}

/** The label must be known. */
export function createPieceDecoder(encoding: string, faults: Faults = 'throw'): PieceDecoder {
  if (isUtf32(encoding)) return createUtf32Decoder(encoding, faults);
  return isCodePage(encoding)
    ? createCodePageDecoder(encoding, faults)
    : new TextDecoder(encoding, { fatal: faults === 'throw' });
}

/** Whether a decoder threw it because of the bytes. */
export function isDecodingError(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** How a text begins. The label must be known; what is wrong in it becomes a replacement character. */
export function decodeOpening(head: Uint8Array, encoding: string): string {
  return createPieceDecoder(encoding, 'replace').decode(head, { stream: true });
}
