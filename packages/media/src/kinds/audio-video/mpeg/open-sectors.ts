import type { RandomAccess } from '../../../file/read-file.ts';

// The header of the file; then sectors, as they are on the disc: each has content between its address and its checksum.
const firstSectorAt = 44;
const sectorBytes = 2352;
const contentAt = 24;
const contentBytes = 2324;

/** The content of the sectors of a Video CD that was copied as a file, without what is around it. */
export function openSectors(file: RandomAccess): RandomAccess {
  const copy = Buffer.alloc(64 * 1024);
  const sizeBytes = Math.max(0, Math.floor(((file.sizeBytes - firstSectorAt) * contentBytes) / sectorBytes));

  /** From `offset` to the end of its sector at most. */
  function readSector(offset: number, length: number): Buffer {
    const place = offset % contentBytes;
    const at = firstSectorAt + Math.floor(offset / contentBytes) * sectorBytes + contentAt + place;
    return file.bytesAt(at, Math.min(length, contentBytes - place));
  }

  return {
    sizeBytes,
    byteAt: (offset) => readSector(offset, 1)[0] ?? -1,
    findByte(byte, from) {
      for (let offset = from; offset < sizeBytes; offset += contentBytes - (offset % contentBytes)) {
        const found = readSector(offset, contentBytes).indexOf(byte);
        if (found >= 0) return offset + found;
      }
      return -1;
    },
    bytesAt(offset, length) {
      let copied = 0;
      while (copied < length) {
        const piece = readSector(offset + copied, length - copied);
        if (piece.length === 0) break;
        copied += piece.copy(copy, copied);
      }
      return copy.subarray(0, copied);
    },
    close: () => file.close(),
  };
}
