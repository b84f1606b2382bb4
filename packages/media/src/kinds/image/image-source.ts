import { readFileSync, statSync } from 'node:fs';
import { readHead } from '../../file/read-file.ts';

const sequence = 'ftypavis';
// It is read into memory as a whole; no still of this size comes as a sequence.
const mostBytes = 64 * 1024 * 1024;

/**
 * The decoder's input for a file: its path. The decoder does not accept AVIF whose first brand is a sequence, although the same file holds a still: it then
 * gets the bytes, with the brand of the still.
 */
export function imageSource(path: string): string | Buffer {
  if (readHead(path).toString('latin1', 4, 12) !== sequence || statSync(path).size > mostBytes) return path;
  const bytes = readFileSync(path);
  bytes.write('avif', 8, 'latin1');
  return bytes;
}
