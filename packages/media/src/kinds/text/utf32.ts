export type Utf32 = 'utf-32le' | 'utf-32be';

export function isUtf32(encoding: string): encoding is Utf32 {
  return encoding === 'utf-32le' || encoding === 'utf-32be';
}

const unitBytes = 4;
const byteOrderMark = 0xfeff;

/** What `TextDecoder` does for the encodings that it knows, as `fatal`: throws a RangeError for what is no character. Drops a byte order mark. */
export function createUtf32Decoder(encoding: Utf32) {
  const isLittle = encoding === 'utf-32le';
  let rest = new Uint8Array(0);
  let isStart = true;
  return {
    decode(chunk: Uint8Array = new Uint8Array(0), { stream = false } = {}): string {
      const bytes = Buffer.concat([rest, chunk]);
      const end = bytes.length - (bytes.length % unitBytes);
      rest = Uint8Array.from(bytes.subarray(end));
      if (!stream && rest.length > 0) throw new RangeError('Half a character of UTF-32.');
      let text = '';
      for (let offset = 0; offset < end; offset += unitBytes) {
        const code = isLittle ? bytes.readUInt32LE(offset) : bytes.readUInt32BE(offset);
        if (code >= 0xd800 && code <= 0xdfff) throw new RangeError('Half a pair is no character of UTF-32.');
        if (!(isStart && code === byteOrderMark)) text += String.fromCodePoint(code);
        isStart = false;
      }
      return text;
    },
  };
}
