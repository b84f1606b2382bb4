import { listFirstEncodings } from '@attache/domain/first-encodings';
import { createTextCheck } from '@attache/domain/text-check';
import { analyse } from 'chardet';
import { readChunks, readHead } from '../../file/read-file.ts';
import { rankEncodings } from './rank-encodings.ts';

export type DetectedEncoding = {
  /** Label of the WHATWG Encoding Standard, or `utf-32le`, `utf-32be`. */
  encoding: string;
  hasByteOrderMark: boolean;
};

/** Encoding in which the whole file is text; undefined for a file that is not text. */
export function detectEncoding(path: string): DetectedEncoding | undefined {
  const { encodings, hasByteOrderMark, mayBeOlder } = listFirstEncodings(readHead(path));
  for (const encoding of encodings) if (isTextIn(path, encoding)) return { encoding, hasByteOrderMark };
  if (!mayBeOlder) return undefined;
  const encoding = rankOlder(path).find((older) => isTextIn(path, older));
  return encoding === undefined ? undefined : { encoding, hasByteOrderMark };
}

// Ranked by what the file would say in each.
function rankOlder(path: string): string[] {
  const sample = collectSample(path);
  return rankEncodings(
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

function isTextIn(path: string, encoding: string): boolean {
  const check = createTextCheck(encoding);
  for (const chunk of readChunks(path)) if (!check.push(chunk)) return false;
  return check.end();
}
