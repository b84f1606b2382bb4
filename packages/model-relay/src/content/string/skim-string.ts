import { findStringEnd, type StringPlace } from '../../json/find-string-end.ts';
import type { PieceKey } from './piece-digest.ts';
import { CUT } from './read-string.ts';

/** Skims a string of which only the key is wanted, as it is spelled. Returns the index after its closing quote, or `CUT`. */
export function skimString(place: StringPlace, chunk: Buffer, from: number, key: PieceKey): number {
  const end = findStringEnd(place, chunk, from);
  key.add(chunk.subarray(from, end === -1 ? chunk.length : end));
  return end === -1 ? CUT : end + 1;
}
