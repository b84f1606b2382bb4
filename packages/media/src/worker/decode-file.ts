import { readChunks } from './read-file.ts';

/** Label of an encoding as in the WHATWG Encoding Standard; undefined for a name that it does not know. */
export function findLabel(name: string): string | undefined {
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
  const decoder = new TextDecoder(encoding, { fatal: true });
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

function isDecodingError(error: unknown): boolean {
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
