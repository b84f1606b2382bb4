type Check = (packets: readonly Uint8Array[]) => boolean;

const checks: Record<string, Check> = {
  h264: isUnits,
  hevc: isUnits,
  vp8: (packets) => packets.some(isVp8Key),
  vp9: (packets) => packets.some(isVp9Frame),
  av1: (packets) => packets.some(isAv1Unit),
  mpeg1: hasStartCode,
  mpeg2: hasStartCode,
  mpeg4: hasStartCode,
  mjpeg: (packets) => packets.some((packet) => startsWith(packet, 0xff, 0xd8) || isJpegWithoutMarkers(packet)),
  h263: (packets) => packets.some((packet) => startsWith(packet, 0, 0) && ((packet[2] ?? 0) & 0xfc) === 0x80),
  mp1: isMpegAudio,
  mp2: isMpegAudio,
  mp3: isMpegAudio,
  aac: isAac,
};

/**
 * Whether the first packets of a track hold output of a coding, as far as its frames show: containers find packets by place alone, and noise at the right place
 * is no frame. If a coding has no signs (PCM, Opus, Vorbis), a packet that is not empty counts.
 */
export function isFrame(packets: readonly Uint8Array[], codec: string | undefined): boolean {
  const filled = packets.filter(({ length }) => length > 0);
  if (filled.length === 0) return false;
  const check = codec === undefined ? undefined : checks[codec];
  return check === undefined || check(filled);
}

const startsWith = (packet: Uint8Array, ...bytes: number[]) => bytes.every((byte, index) => packet[index] === byte);

function hasStartCode(packets: readonly Uint8Array[]): boolean {
  return packets.some((packet) => startsWith(packet, 0, 0, 1));
}

// Form B of QuickTime has its name behind four bytes.
const isJpegWithoutMarkers = (packet: Uint8Array) => startsWith(packet.subarray(4), 0x6d, 0x6a, 0x70, 0x67);

function isMpegAudio(packets: readonly Uint8Array[]): boolean {
  return packets.some((packet) => packet[0] === 0xff && ((packet[1] ?? 0) & 0xe0) === 0xe0);
}

// Units with their length before them fill a packet to its last byte. Transport streams have start codes instead.
function isUnits(packets: readonly Uint8Array[]): boolean {
  return packets.some(
    (packet) =>
      startsWith(packet, 0, 0, 1) ||
      startsWith(packet, 0, 0, 0, 1) ||
      [4, 2, 3, 1].some((bytes) => isFilled(packet, bytes)),
  );
}

function isFilled(packet: Uint8Array, lengthBytes: number): boolean {
  let offset = 0;
  while (offset + lengthBytes < packet.length) {
    let unitBytes = 0;
    for (let index = 0; index < lengthBytes; index += 1) unitBytes = unitBytes * 256 + (packet[offset + index] ?? 0);
    if (unitBytes === 0) return false;
    offset += lengthBytes + unitBytes;
  }
  return offset === packet.length;
}

const isVp8Key = (packet: Uint8Array) => packet[3] === 0x9d && packet[4] === 0x01 && packet[5] === 0x2a;

// Frame marker 2; a key frame's sync code follows the byte.
function isVp9Frame(packet: Uint8Array): boolean {
  return ((packet[0] ?? 0) & 0xc0) === 0x80 && packet[1] === 0x49 && packet[2] === 0x83 && packet[3] === 0x42;
}

// Units of type and length; the first is a delimiter or the header of the sequence.
function isAv1Unit(packet: Uint8Array): boolean {
  const first = packet[0] ?? 0xff;
  return (first & 0x81) === 0 && [1, 2].includes(first >> 3) && (first & 0x02) !== 0;
}

// A raw frame begins with three bits for what comes first in it: one coder continues as it began, noise does not.
function isAac(packets: readonly Uint8Array[]): boolean {
  if (packets.every((packet) => packet[0] === 0xff && ((packet[1] ?? 0) & 0xf6) === 0xf0)) return true;
  if (packets.length < probedFrames) return true;
  const counts = new Map<number, number>();
  for (const packet of packets) {
    const element = (packet[0] ?? 0) >> 5;
    counts.set(element, (counts.get(element) ?? 0) + 1);
  }
  return Math.max(...counts.values()) * 4 >= packets.length * 3;
}

const probedFrames = 8;
