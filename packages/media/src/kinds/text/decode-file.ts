import { readChunks } from '../../file/read-file.ts';
import { createUtf32Decoder, isUtf32 } from './utf32.ts';

/** Label of an encoding as in the WHATWG Encoding Standard, or of UTF-32; undefined for any other name. */
export function findLabel(name: string): string | undefined {
  if (isUtf32(name)) return name;
  try {
    return new TextDecoder(name).encoding;
  } catch {
    return undefined;
  }
}

/**
 * Text of a file in pieces, without its byte order mark, in bounded memory. Ends with `undefined` at the first bytes that are not
 * text in this encoding. The label must be known.
 */
export function* decodeFile(path: string, encoding: string): Generator<string | undefined> {
  const decoder = isUtf32(encoding) ? createUtf32Decoder(encoding) : new TextDecoder(encoding, { fatal: true });
  try {
    for (const chunk of readChunks(path)) {
      yield decoder.decode(chunk, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!isDecodingError(error)) throw error;
    yield undefined;
  }
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

function isDecodingError(error: unknown): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof TypeError && 'code' in error && error.code === 'ERR_ENCODING_INVALID_ENCODED_DATA';
}

/** How many characters of a text have no place in one: control characters but blanks, backspace and escape. */
export function countControls(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x9f ? code >= 0xfffe : isControl(code)) count += 1;
  }
  return count;
}

function isControl(code: number): boolean {
  if (code >= 0x20) return code >= 0x7f && code !== 0x85;
  return !(code >= 0x08 && code <= 0x0d) && code !== 0x1b;
}
