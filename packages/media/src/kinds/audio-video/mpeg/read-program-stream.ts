import type { RandomAccess } from '../../../file/read-file.ts';

/** A piece of one stream of a program. `bytes` is overwritten by the next read; of a last packet that is cut off, it is what is there. */
export type StreamPacket = { kind: 'audio' | 'video'; streamId: number; bytes: Buffer; isWhole: boolean };

const packCode = 0xba;
const firstPacketCode = 0xbb;
const startBytes = 6;

/** The packets of sound and pictures in a program stream of MPEG-1 or MPEG-2, in their order; bytes between packets are passed over. */
export function* readProgramStream(file: RandomAccess): Generator<StreamPacket> {
  for (let at = 0; at >= 0 && at + startBytes <= file.sizeBytes; ) {
    const start = file.bytesAt(at, startBytes);
    const code = start[3] ?? 0;
    const isCode = start[0] === 0 && start[1] === 0 && start[2] === 1;
    if (isCode && code === packCode) at += measurePackHeader(file, at);
    else if (isCode && code >= firstPacketCode) {
      const packetBytes = startBytes + start.readUInt16BE(4);
      const packet = readPacket(file, { at, code, packetBytes });
      if (packet !== undefined) yield packet;
      at += packetBytes;
    } else at = findStartCode(file, at + 1);
  }
}

function measurePackHeader(file: RandomAccess, at: number): number {
  const isFirst = (file.byteAt(at + 4) & 0xf0) === 0x20;
  return isFirst ? 12 : 14 + (file.byteAt(at + 13) & 7);
}

function findStartCode(file: RandomAccess, from: number): number {
  for (let at = file.findByte(1, from + 2); at >= 0; at = file.findByte(1, at + 1)) {
    if (file.byteAt(at - 1) === 0 && file.byteAt(at - 2) === 0) return at - 2;
  }
  return -1;
}

type Place = { at: number; code: number; packetBytes: number };

function readPacket(file: RandomAccess, { at, code, packetBytes }: Place): StreamPacket | undefined {
  const kind = (code & 0xf0) === 0xe0 ? 'video' : (code & 0xe0) === 0xc0 ? 'audio' : undefined;
  if (kind === undefined) return undefined;
  const content = file.bytesAt(at + startBytes, packetBytes - startBytes);
  const isWhole = content.length === packetBytes - startBytes;
  return { kind, streamId: code, bytes: content.subarray(measurePacketHeader(content)), isWhole };
}

// MPEG-2 states the length of its header. Before that of MPEG-1 come stuffing and the size of a buffer, and its times are five bytes each.
function measurePacketHeader(content: Buffer): number {
  if (((content[0] ?? 0) & 0xc0) === 0x80) return 3 + (content[2] ?? 0);
  let at = 0;
  while (content[at] === 0xff) at += 1;
  if (((content[at] ?? 0) & 0xc0) === 0x40) at += 2;
  const times = (content[at] ?? 0) >> 4;
  return at + (times === 2 ? 5 : times === 3 ? 10 : 1);
}
