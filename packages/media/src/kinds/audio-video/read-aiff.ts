import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type Recording, toDurationMs } from './recording.ts';

type Common = { channels: number; frames: number; bits: number; framesPerSecond: number; compression: string };
type Sound = { sizeBytes: number; presentBytes: number };

/** AIFF and AIFC: the length is that of the samples that are there. */
export function readAiff(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    const chunks = findChunks(file, file.sizeBytes);
    if (chunks.common === undefined || chunks.sound === undefined) return undefined;
    return describe(chunks.common, chunks.sound);
  } finally {
    file.close();
  }
}

type Chunks = { common?: Common | undefined; sound?: Sound };

function findChunks(file: RandomAccess, end: number): Chunks {
  const found: Chunks = {};
  for (let offset = 12; offset + 8 <= end; ) {
    const header = file.bytesAt(offset, 8);
    const id = header.toString('latin1', 0, 4);
    const sizeBytes = header.readUInt32BE(4);
    if (id === 'COMM') found.common = readCommon(file.bytesAt(offset + 8, Math.min(sizeBytes, 22)));
    // Eight bytes of alignment come before the samples.
    if (id === 'SSND')
      found.sound = { sizeBytes: sizeBytes - 8, presentBytes: Math.min(sizeBytes, end - offset - 8) - 8 };
    offset += 8 + sizeBytes + (sizeBytes % 2);
  }
  return found;
}

function readCommon(bytes: Buffer): Common | undefined {
  if (bytes.length < 18) return undefined;
  return {
    channels: bytes.readUInt16BE(0),
    frames: bytes.readUInt32BE(2),
    bits: bytes.readUInt16BE(6),
    framesPerSecond: readExtended(bytes.subarray(8, 18)),
    compression: bytes.length < 22 ? 'NONE' : bytes.toString('latin1', 18, 22),
  };
}

// A number of 80 bits: 15 of exponent, 64 of mantissa.
function readExtended(bytes: Buffer): number {
  const exponent = bytes.readUInt16BE(0) & 0x7fff;
  return Number(bytes.readBigUInt64BE(2)) * 2 ** (exponent - 16383 - 63);
}

const plainCodecs: Record<string, string> = {
  NONE: 'pcm',
  twos: 'pcm',
  sowt: 'pcm',
  'raw ': 'pcm',
  in24: 'pcm',
  in32: 'pcm',
  fl32: 'pcm-float',
  FL32: 'pcm-float',
  fl64: 'pcm-float',
  FL64: 'pcm-float',
  ulaw: 'pcm-mulaw',
  alaw: 'pcm-alaw',
};

function describe(common: Common, sound: Sound): Recording | undefined {
  const { channels, frames, bits, framesPerSecond, compression } = common;
  const codec = plainCodecs[compression];
  const isPlain = codec !== undefined;
  const frameBytes = channels * (compression.endsWith('law') ? 1 : Math.ceil(bits / 8));
  const present = isPlain
    ? Math.min(frames, Math.floor(sound.presentBytes / frameBytes))
    : frames * Math.min(1, sound.presentBytes / sound.sizeBytes);
  if (!(present >= 1) || !(framesPerSecond >= 1)) return undefined;
  return { container: 'aiff', tracks: [{ kind: 'audio', codec }], durationMs: toDurationMs(present / framesPerSecond) };
}
