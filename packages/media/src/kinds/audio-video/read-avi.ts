import { openRandomAccess, type RandomAccess } from '../../file/read-file.ts';
import { type Recording, type Track, toDurationMs } from './recording.ts';

type Stream = {
  kind: 'audio' | 'video' | 'other';
  handler: string;
  scale: number;
  rate: number;
  /** Bytes of one unit of time; 0 where each chunk is one. */
  sampleBytes: number;
  codec?: string | undefined;
  width?: number | undefined;
  height?: number | undefined;
  chunks: number;
  bytes: number;
};

/** AVI: the chunks that are there are counted, at the rate of their stream. */
export function readAvi(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    const streams: Stream[] = [];
    walk(file, streams);
    return describe(streams);
  } finally {
    file.close();
  }
}

// Lists are entered, not skipped: their content follows. So a false length ends nothing but itself.
function walk(file: RandomAccess, streams: Stream[]): void {
  for (let offset = 0; offset + 8 <= file.sizeBytes; ) {
    const header = file.bytesAt(offset, 12);
    const id = header.toString('latin1', 0, 4);
    const sizeBytes = header.readUInt32LE(4);
    if (id === 'RIFF' || id === 'LIST') {
      const isEntered = enteredLists.has(header.toString('latin1', 8, 12));
      offset += isEntered ? 12 : 8 + sizeBytes + (sizeBytes % 2);
      continue;
    }
    if (!/^(?:\d\d(?:db|dc|wb|pc|tx)|ix\d\d|strh|strf|strd|strn|avih|indx|idx1|JUNK|vprp|dmlh|ISFT|IDIT)$/.test(id))
      return;
    if (offset + 8 + sizeBytes > file.sizeBytes) return;
    if (id === 'strh') streams.push(readStreamHeader(file.bytesAt(offset + 8, 48)));
    else if (id === 'strf') readStreamFormat(streams.at(-1), file.bytesAt(offset + 8, 40));
    else countChunk(streams, id, sizeBytes);
    offset += 8 + sizeBytes + (sizeBytes % 2);
  }
}

const enteredLists = new Set(['AVI ', 'AVIX', 'hdrl', 'strl', 'movi', 'rec ', 'odml']);

function readStreamHeader(bytes: Buffer): Stream {
  const field = (at: number) => (bytes.length >= at + 4 ? bytes.readUInt32LE(at) : 0);
  const type = bytes.toString('latin1', 0, 4);
  return {
    kind: type === 'vids' ? 'video' : type === 'auds' ? 'audio' : 'other',
    handler: bytes.toString('latin1', 4, 8),
    scale: field(20),
    rate: field(24),
    sampleBytes: field(44),
    chunks: 0,
    bytes: 0,
  };
}

const videoCodecs: Record<string, string> = {
  FMP4: 'mpeg4',
  XVID: 'mpeg4',
  DIVX: 'mpeg4',
  DX50: 'mpeg4',
  MP4V: 'mpeg4',
  MJPG: 'mjpeg',
  H264: 'h264',
  X264: 'h264',
  AVC1: 'h264',
  HEVC: 'hevc',
  VP80: 'vp8',
  VP90: 'vp9',
  MPG1: 'mpeg1',
  MPG2: 'mpeg2',
};
const audioCodecs: Record<number, string> = {
  1: 'pcm',
  2: 'adpcm-ms',
  3: 'pcm-float',
  80: 'mp2',
  85: 'mp3',
  255: 'aac',
  8192: 'ac3',
};

function readStreamFormat(stream: Stream | undefined, bytes: Buffer): void {
  if (stream?.kind === 'audio' && bytes.length >= 2) stream.codec = audioCodecs[bytes.readUInt16LE(0)];
  if (stream?.kind !== 'video' || bytes.length < 20) return;
  stream.codec =
    videoCodecs[bytes.toString('latin1', 16, 20).toUpperCase()] ?? videoCodecs[stream.handler.toUpperCase()];
  stream.width = Math.abs(bytes.readInt32LE(4));
  stream.height = Math.abs(bytes.readInt32LE(8));
}

// An empty chunk of video repeats the picture before it.
function countChunk(streams: readonly Stream[], id: string, sizeBytes: number): void {
  if (!/^\d\d(?:db|dc|wb)$/.test(id)) return;
  const stream = streams[Number(id.slice(0, 2))];
  if (stream === undefined) return;
  stream.chunks += 1;
  stream.bytes += sizeBytes;
}

function describe(streams: readonly Stream[]): Recording | undefined {
  const present = streams.filter(
    ({ kind, bytes, scale, rate }) => kind !== 'other' && bytes > 0 && scale > 0 && rate > 0,
  );
  if (present.length === 0) return undefined;
  const seconds = present.map(({ chunks, bytes, sampleBytes, scale, rate }) => {
    const units = sampleBytes > 0 ? bytes / sampleBytes : chunks;
    return (units * scale) / rate;
  });
  return { container: 'avi', tracks: present.map(toTrack), durationMs: toDurationMs(Math.max(...seconds)) };
}

function toTrack({ kind, codec, width, height }: Stream): Track {
  return kind === 'video' ? { kind, codec, width, height } : { kind: 'audio', codec };
}
