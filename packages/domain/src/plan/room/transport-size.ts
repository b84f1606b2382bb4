import { isPair } from '../../text/text-size.ts';

/** Longest form of one source byte in a JSON string: a control character as `\u00XX`. */
const ESCAPED_BYTES_PER_BYTE = 6;

/** Exact length of `sizeBytes` bytes in padded base64. */
export function base64Bytes(sizeBytes: number): number {
  return 4 * Math.ceil(sizeBytes / 3);
}

/** Most bytes whose padded base64 fits in `encodedBytes`. */
export function bytesWithinBase64(encodedBytes: number): number {
  return 3 * Math.floor(Math.max(0, encodedBytes) / 4);
}

/** Exact bytes of a text as `JSON.stringify` writes it in UTF-8, without its quotes. */
export function jsonTextBytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += asciiBytes(unit);
    else if (unit < 0x800) bytes += 2;
    else if (isPair(text, index)) {
      bytes += 4;
      index += 1;
    } else bytes += isSurrogate(unit) ? 6 : 3;
  }
  return bytes;
}

function asciiBytes(unit: number): number {
  if (unit === 0x22 || unit === 0x5c) return 2;
  if (unit >= 0x20) return 1;
  // \b \t \n \f \r have a short form; \v has none.
  return unit >= 0x08 && unit <= 0x0d && unit !== 0x0b ? 2 : 6;
}

function isSurrogate(unit: number): boolean {
  return (unit & 0xf800) === 0xd800;
}

/** Upper bound of a text file in a JSON string, whatever its characters are. `sizeBytes` counts its bytes as stored. */
export function maxJsonTextBytes(sizeBytes: number, encoding: string | undefined): number {
  return ESCAPED_BYTES_PER_BYTE * maxCharacters(sizeBytes, encoding);
}

/** Upper bound of a text file decoded to UTF-8. */
export function maxDecodedBytes(sizeBytes: number, encoding: string | undefined): number {
  // Every encoding of the WHATWG standard yields at most one 3-byte character for each unit it reads.
  return encoding === 'utf-8' ? sizeBytes : 3 * maxCharacters(sizeBytes, encoding);
}

function maxCharacters(sizeBytes: number, encoding: string | undefined): number {
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? Math.ceil(sizeBytes / 2) : sizeBytes;
}
