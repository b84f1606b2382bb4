export type Utf32 = 'utf-32le' | 'utf-32be';

export function isUtf32(encoding: string): encoding is Utf32 {
  return encoding === 'utf-32le' || encoding === 'utf-32be';
}

const unitBytes = 4;
const byteOrderMark = 0xfeff;
const lastCodePoint = 0x10ffff;
// As arguments of one call; more would be too many.
const codesAtOnce = 4096;

/** Does what `TextDecoder` with `fatal` does for the encodings that it supports: throws a RangeError for an invalid character, and drops a byte order mark. */
export function createUtf32Decoder(encoding: Utf32) {
  const isLittle = encoding === 'utf-32le';
  let rest = new Uint8Array(0);
  let isStart = true;
  return {
    decode(chunk: Uint8Array = new Uint8Array(0), { stream = false } = {}): string {
      const bytes = join(rest, chunk);
      const end = bytes.length - (bytes.length % unitBytes);
      rest = bytes.slice(end);
      if (!stream && rest.length > 0) throw new RangeError('Half a character of UTF-32.');
      const view = new DataView(bytes.buffer, bytes.byteOffset, end);
      let text = '';
      let codes: number[] = [];
      for (let offset = 0; offset < end; offset += unitBytes) {
        const code = view.getUint32(offset, isLittle);
        if (code > lastCodePoint || (code >= 0xd800 && code <= 0xdfff))
          throw new RangeError('A number that is no character of UTF-32.');
        if (!(isStart && code === byteOrderMark)) codes.push(code);
        isStart = false;
        if (codes.length < codesAtOnce) continue;
        text += String.fromCodePoint(...codes);
        codes = [];
      }
      return text + String.fromCodePoint(...codes);
    },
  };
}

function join(rest: Uint8Array, chunk: Uint8Array): Uint8Array {
  if (rest.length === 0) return chunk;
  const joined = new Uint8Array(rest.length + chunk.length);
  joined.set(rest);
  joined.set(chunk, rest.length);
  return joined;
}
