import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';

const PIECE_BYTES = 256 * 1024;

/** The sha256 of a file. One buffer serves all of it: a stream would leave as much garbage as the file is large. */
export async function hashFile(path: string): Promise<string> {
  await using file = await open(path);
  const digest = createHash('sha256');
  const piece = Buffer.allocUnsafe(PIECE_BYTES);
  for (;;) {
    const { bytesRead } = await file.read(piece, 0, PIECE_BYTES);
    if (bytesRead === 0) return digest.digest('hex');
    digest.update(piece.subarray(0, bytesRead));
  }
}
