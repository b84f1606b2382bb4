import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type Recording, toDurationMs } from './recording.ts';

type Format = { tag: number; blockBytes: number; bytesPerSecond: number };

const adpcmTags = [2, 0x11];

const codecs: Record<number, string> = {
  1: 'pcm',
  2: 'adpcm-ms',
  3: 'pcm-float',
  6: 'pcm-alaw',
  7: 'pcm-mulaw',
  17: 'adpcm-ima',
  49: 'gsm',
  80: 'mp2',
  85: 'mp3',
  353: 'wma',
};
const extensibleTag = 0xfffe;

/** WAV of any coding: as long as the bytes of sound that are there, at the rate that the header states. */
export function readWave(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    const { format, dataBytes } = findChunks(file);
    if (format === undefined || dataBytes < Math.max(1, format.blockBytes) || format.bytesPerSecond === 0)
      return undefined;
    const codec = codecs[format.tag];
    return {
      container: 'wav',
      tracks: [{ kind: 'audio', codec }],
      durationMs: toDurationMs(dataBytes / format.bytesPerSecond),
    };
  } finally {
    file.close();
  }
}

// A program that cannot go back leaves the length of the sound open: zero, or all ones.
function findChunks(file: RandomAccess): { format?: Format | undefined; dataBytes: number } {
  let format: Format | undefined;
  for (let offset = 12; offset + 8 <= file.sizeBytes; ) {
    const header = file.bytesAt(offset, 8);
    const id = header.toString('latin1', 0, 4);
    const sizeBytes = header.readUInt32LE(4);
    const restBytes = file.sizeBytes - offset - 8;
    if (id === 'data') return { format, dataBytes: sizeBytes === 0 ? restBytes : Math.min(sizeBytes, restBytes) };
    if (id === 'fmt ') format = readFormat(file.bytesAt(offset + 8, 26));
    offset += 8 + sizeBytes + (sizeBytes % 2);
  }
  return { format, dataBytes: 0 };
}

function readFormat(bytes: Buffer): Format | undefined {
  if (bytes.length < 16) return undefined;
  const tag = bytes.readUInt16LE(0);
  const codec = tag === extensibleTag && bytes.length >= 26 ? bytes.readUInt16LE(24) : tag;
  const blockBytes = bytes.readUInt16LE(12);
  if (!adpcmTags.includes(codec) || bytes.length < 20)
    return { tag: codec, bytesPerSecond: bytes.readUInt32LE(8), blockBytes };
  // Not every program states the rate of bytes of these as it is; the samples of a block are.
  const samplesPerBlock = bytes.readUInt16LE(18);
  const bytesPerSecond = samplesPerBlock === 0 ? 0 : (bytes.readUInt32LE(4) * blockBytes) / samplesPerBlock;
  return { tag: codec, bytesPerSecond, blockBytes };
}
