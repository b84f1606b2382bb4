import type { RandomAccess } from '../../../file/read-file.ts';

export type Box = { type: string; contentAt: number; end: number };

// No picture has as many beside each other.
const mostBoxes = 10_000;

/** Boxes of length, type and content from `start` up to `end`, or up to what is no box. The last one may end beyond the file. */
export function* readBoxes(file: RandomAccess, start: number, end: number): Generator<Box> {
  let offset = start;
  for (let count = 0; count < mostBoxes && offset + 8 <= end; count += 1) {
    const box = readBox(file, offset);
    if (box === undefined) return;
    yield box;
    offset = box.end;
  }
}

/** The box at an offset; undefined where there is none. */
export function readBox(file: RandomAccess, offset: number): Box | undefined {
  const head = file.bytesAt(offset, 16);
  if (head.length < 8) return undefined;
  const short = head.readUInt32BE(0);
  // A length of 1 means one of 8 bytes.
  const headBytes = short === 1 ? 16 : 8;
  if (head.length < headBytes) return undefined;
  const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
  if (length < headBytes) return undefined;
  return { type: head.toString('latin1', 4, 8), contentAt: offset + headBytes, end: offset + length };
}
