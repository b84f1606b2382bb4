import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type Recording, toDurationMs } from './recording.ts';

// Bytes of a frame behind its first, by the type in that; undefined where there is no such type.
const narrowBytes = [12, 13, 15, 17, 19, 20, 26, 31, 5, 6, 5, 5, undefined, undefined, undefined, 0];
const wideBytes = [17, 23, 32, 36, 40, 46, 50, 58, 60, 5, undefined, undefined, undefined, undefined, 0, 0];
const framesPerSecond = 50;
// Fewer in a file that continues otherwise are chance.
const leastFrames = 8;

/** AMR, narrow and wide: a run of frames of 20 ms. */
export function readAmr(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    const isWide = file.bytesAt(0, 9).toString('latin1') === '#!AMR-WB\n';
    const { frames, isWhole } = countFrames(file, isWide ? 9 : 6, isWide ? wideBytes : narrowBytes);
    if (frames < (isWhole ? 1 : leastFrames)) return undefined;
    const codec = isWide ? 'amr-wb' : 'amr';
    return { container: 'amr', tracks: [{ kind: 'audio', codec }], durationMs: toDurationMs(frames / framesPerSecond) };
  } finally {
    file.close();
  }
}

// A last frame that is cut off belongs to a whole run.
function countFrames(file: RandomAccess, start: number, sizes: readonly (number | undefined)[]) {
  let frames = 0;
  for (let offset = start; offset < file.sizeBytes; frames += 1) {
    const header = file.byteAt(offset);
    const bytes = (header & 0x83) === 0 ? sizes[(header >> 3) & 15] : undefined;
    if (bytes === undefined) return { frames, isWhole: false };
    if (offset + 1 + bytes > file.sizeBytes) break;
    offset += 1 + bytes;
  }
  return { frames, isWhole: true };
}
