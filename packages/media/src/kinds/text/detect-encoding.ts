import { analyse } from 'chardet';
import { readChunks, readHead } from '../../file/read-file.ts';
import { countControls, decodeFile } from './decode-file.ts';
import { guessWideEncoding } from './guess-wide-encoding.ts';
import { rankEncodings } from './rank-encodings.ts';

export type DetectedEncoding = {
  /** Label of the WHATWG Encoding Standard, or `utf-32le`, `utf-32be`. */
  encoding: string;
  hasByteOrderMark: boolean;
};

// That of UTF-32 begins with that of UTF-16.
const byteOrderMarks: [string, number[]][] = [
  ['utf-32le', [0xff, 0xfe, 0, 0]],
  ['utf-32be', [0, 0, 0xfe, 0xff]],
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
];

/** Encoding in which the whole file is text; undefined for a file that is not text. */
export function detectEncoding(path: string): DetectedEncoding | undefined {
  const head = readHead(path);
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => head[index] === byte));
  const candidates = marked ? [marked[0]] : guessEncodings(path, head);
  for (const encoding of candidates) {
    if (isTextIn(path, encoding)) return { encoding, hasByteOrderMark: marked !== undefined };
  }
  return undefined;
}

// Strict UTF-8 first: hardly anything else passes it. UTF-16 without a mark, which letter frequencies take for ISO-8859-1, is known by
// itself. What is left is ranked by what it would say.
function* guessEncodings(path: string, head: Buffer): Generator<string> {
  yield 'utf-8';
  if (head.includes(0)) {
    const wide = guessWideEncoding(head);
    if (wide) yield wide;
    return;
  }
  const sample = collectSample(path);
  yield* rankEncodings(
    sample,
    analyse(sample).filter(({ confidence }) => confidence >= leastConfidence),
  );
}

const leastConfidence = 5;

const sampleBytes = 64 * 1024;
const pieceBytes = 256;

// The pieces that are not plain ASCII: letters in the last line of a long listing decide too.
function collectSample(path: string): Buffer {
  const pieces: Buffer[] = [];
  for (const chunk of readChunks(path)) {
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      const piece = chunk.subarray(start, start + pieceBytes);
      if (piece.some((byte) => byte >= 0x80)) pieces.push(Buffer.from(piece));
      if (pieces.length * pieceBytes >= sampleBytes) return Buffer.concat(pieces);
    }
  }
  return Buffer.concat(pieces);
}

// A log or a record of a protocol may hold many. In an encoding that takes nearly all bytes for characters they speak for another file.
const mostControls = (encoding: string) => (encoding === 'utf-8' ? 6 : 50);

function isTextIn(path: string, encoding: string): boolean {
  let length = 0;
  let controls = 0;
  for (const text of decodeFile(path, encoding)) {
    if (text === undefined || text.includes('\0')) return false;
    length += text.length;
    controls += countControls(text);
    if (controls * mostControls(encoding) > length) return false;
  }
  return length > 0;
}
