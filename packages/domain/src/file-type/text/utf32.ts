import { joinBytes } from './join-bytes.ts';
import type { Faults, PieceDecoder } from './piece-decoder.ts';

export type Utf32 = 'utf-32le' | 'utf-32be';

export function isUtf32(encoding: string): encoding is Utf32 {
  return encoding === 'utf-32le' || encoding === 'utf-32be';
}

const unitBytes = 4;
const byteOrderMark = 0xfeff;
const lastCodePoint = 0x10ffff;
// As arguments of one call; more would be too many.
const codesAtOnce = 4096;

const replacement = 0xfffd;

/** Does what `TextDecoder` does for the encodings that it supports: throws a RangeError for an invalid character or replaces it, and drops a byte order mark. */
export function createUtf32Decoder(encoding: Utf32, faults: Faults): PieceDecoder {
  const isLittle = encoding === 'utf-32le';
  let rest = new Uint8Array(0);
  let isStart = true;
  return {
    decode(chunk: Uint8Array = new Uint8Array(0), { stream = false } = {}): string {
      const bytes = joinBytes(rest, chunk);
      const end = bytes.length - (bytes.length % unitBytes);
      // A copy: the caller may overwrite its bytes, and `slice` of a Buffer is none.
      rest = new Uint8Array(bytes.subarray(end));
      const isCut = !stream && rest.length > 0;
      if (isCut && faults === 'throw') throw new RangeError('Half a character of UTF-32.');
      const view = new DataView(bytes.buffer, bytes.byteOffset, end);
      let text = '';
      let codes: number[] = [];
      for (let offset = 0; offset < end; offset += unitBytes) {
        const code = check(view.getUint32(offset, isLittle), faults);
        if (!(isStart && code === byteOrderMark)) codes.push(code);
        isStart = false;
        if (codes.length < codesAtOnce) continue;
        text += String.fromCodePoint(...codes);
        codes = [];
      }
      if (isCut) codes.push(replacement);
      return text + String.fromCodePoint(...codes);
    },
  };
}

function check(code: number, faults: Faults): number {
  if (code <= lastCodePoint && (code < 0xd800 || code > 0xdfff)) return code;
  if (faults === 'throw') throw new RangeError('A number that is no character of UTF-32.');
  return replacement;
}
