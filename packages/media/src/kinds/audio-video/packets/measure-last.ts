import type { EncodedPacket } from 'mediabunny';

/** `before` is the packet before the last one, if there is one. */
type Ending = { container: string; first: EncodedPacket; before: EncodedPacket | undefined; last: EncodedPacket };

/** Seconds of the last packet, as far as it is there; undefined if that cannot be said. */
export function measureLast({ container, first, before, last }: Ending): number | undefined {
  // The parser takes the time since the packet before for its duration, even if pictures between them were cut off.
  if (container === 'mpeg-ts') return Math.min(first.duration, last.duration);
  // The last frame reaches to the end of the file, wherever that is.
  if (container === 'flac' && !isWholeFlacFrame(last.data))
    return before && last.duration * Math.min(1, last.data.length / before.data.length);
  return last.duration;
}

const tagBytes = 128;

// A checksum over all of a frame and the checksum at its end is zero. A tag may be behind the last one.
function isWholeFlacFrame(frame: Uint8Array): boolean {
  const beforeTag = frame.subarray(0, -tagBytes);
  const isTagged = Buffer.from(frame.subarray(beforeTag.length)).toString('latin1', 0, 3) === 'TAG';
  return addUp(frame) === 0 || (isTagged && addUp(beforeTag) === 0);
}

function addUp(bytes: Uint8Array): number {
  let sum = 0;
  for (const byte of bytes) {
    sum ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) sum = (sum & 0x8000 ? (sum << 1) ^ 0x8005 : sum << 1) & 0xffff;
  }
  return sum;
}
