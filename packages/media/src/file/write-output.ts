import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, writeSync } from 'node:fs';

export type Measure = { sizeBytes: number; sha256: string };
export type WritePiece = (piece: Uint8Array) => void;

const openFlags = constants.O_WRONLY | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Lets `produce` write into the file that the pool has made, replacing what a killed attempt left, and measures the bytes on their way. */
export function writeOutput<T>(
  outputPath: string,
  produce: (write: WritePiece) => T,
): { produced: T; measure: Measure } {
  const file = openSync(outputPath, openFlags);
  const hash = createHash('sha256');
  let sizeBytes = 0;
  try {
    const produced = produce((piece) => {
      let offset = 0;
      while (offset < piece.length) offset += writeSync(file, piece, offset);
      hash.update(piece);
      sizeBytes += piece.length;
    });
    return { produced, measure: { sizeBytes, sha256: hash.digest('hex') } };
  } finally {
    closeSync(file);
  }
}
