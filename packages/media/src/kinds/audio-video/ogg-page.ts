import type { RandomAccess } from '../../file/read-file.ts';

/** A page whose checksum is right, or the last one where the file was cut off amid it. `body` is overwritten by the next read. */
export type OggPage = {
  serial: number;
  isFirst: boolean;
  /** Undefined if no packet ends in it. */
  granule: bigint | undefined;
  /** Packets that end in it and are there. */
  packets: number;
  /** The share of the packets that end in it which are there: 1 but for a page that is cut off. */
  share: number;
  body: Buffer;
};

const headerBytes = 27;
const capture = 'OggS\0';

/** The whole pages of a file in their order; bytes between them are passed over. */
export function* readOggPages(file: RandomAccess): Generator<OggPage> {
  let offset = 0;
  while (offset + headerBytes <= file.sizeBytes) {
    const page = readPage(file, offset);
    if (page === undefined) {
      offset = file.findByte(0x4f, offset + 1);
      if (offset < 0) return;
    } else {
      offset += page.sizeBytes;
      yield page;
    }
  }
}

function readPage(file: RandomAccess, offset: number): (OggPage & { sizeBytes: number }) | undefined {
  const fixed = file.bytesAt(offset, headerBytes);
  if (fixed.length < headerBytes || fixed.toString('latin1', 0, 5) !== capture) return undefined;
  const segments = fixed[26] ?? 0;
  const table = Buffer.from(file.bytesAt(offset + headerBytes, segments));
  const sizeBytes = headerBytes + segments + table.reduce((sum, size) => sum + size, 0);
  const page = file.bytesAt(offset, sizeBytes);
  const isCut = page.length < sizeBytes;
  if (table.length < segments || !(isCut || hasRightChecksum(page))) return undefined;
  const body = page.subarray(headerBytes + segments);
  const [packets, present] = [countPackets(table), countPackets(table, body.length)];
  const granule = page.readBigInt64LE(6);
  return {
    serial: page.readUInt32LE(14),
    isFirst: ((page[5] ?? 0) & 2) !== 0,
    granule: granule < 0n ? undefined : granule,
    packets: present,
    share: isCut ? present / Math.max(1, packets) : 1,
    body,
    sizeBytes,
  };
}

/** Packets that end in the first bytes of a page's body. A segment of less than 255 bytes is the last of its packet. */
function countPackets(table: Buffer, bodyBytes = Number.POSITIVE_INFINITY): number {
  let [packets, end] = [0, 0];
  for (const size of table) {
    end += size;
    if (end > bodyBytes) break;
    if (size < 255) packets += 1;
  }
  return packets;
}

const crcTable = Uint32Array.from({ length: 256 }, (_, index) => {
  let value = index << 24;
  for (let bit = 0; bit < 8; bit += 1) value = value & 0x80000000 ? (value << 1) ^ 0x04c11db7 : value << 1;
  return value;
});

// Counted as if the field of the checksum itself were zero.
function hasRightChecksum(page: Buffer): boolean {
  let crc = 0;
  for (let index = 0; index < page.length; index += 1) {
    const byte = index >= 22 && index < 26 ? 0 : (page[index] ?? 0);
    crc = (crc << 8) ^ (crcTable[((crc >>> 24) ^ byte) & 0xff] ?? 0);
  }
  return crc >>> 0 === page.readUInt32LE(22);
}
