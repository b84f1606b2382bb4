import { openRandomAccess, type RandomAccess } from '../../../file/read-file.ts';
import { type Recording, toDurationMs } from '../recording.ts';
import { createAudioFrameCounter } from './count-audio-frames.ts';
import { createPictureCounter } from './count-pictures.ts';
import { openSectors } from './open-sectors.ts';
import { readProgramStream } from './read-program-stream.ts';

const programStart = '\0\0\x01\xba';
const pieceBytes = 64 * 1024;

/** MPEG-1 and MPEG-2 video, bare, in a program stream with its sound, or in the sectors of a Video CD: pictures and frames are counted, at the rates of their headers. */
export function readMpeg(path: string): Recording | undefined {
  const file = openRandomAccess(path);
  try {
    const start = file.bytesAt(0, 4).toString('latin1');
    if (start === 'RIFF') return readProgram(openSectors(file));
    return start === programStart ? readProgram(file) : readVideo(file);
  } finally {
    file.close();
  }
}

function readVideo(file: RandomAccess): Recording | undefined {
  const counter = createPictureCounter();
  for (let at = 0; at < file.sizeBytes; at += pieceBytes) counter.push(file.bytesAt(at, pieceBytes));
  const video = counter.end(false);
  return video && describe('mpeg-video', [{ kind: 'video', ...video }]);
}

// The first stream of each kind: others are other languages of the same programme.
function readProgram(file: RandomAccess): Recording | undefined {
  const [pictures, frames] = [createPictureCounter(), createAudioFrameCounter()];
  const firstIds = new Map<string, number>();
  let isLastWhole = true;
  for (const packet of readProgramStream(file)) {
    if (!firstIds.has(packet.kind)) firstIds.set(packet.kind, packet.streamId);
    if (firstIds.get(packet.kind) !== packet.streamId) continue;
    if (packet.kind === 'video') isLastWhole = packet.isWhole;
    (packet.kind === 'video' ? pictures : frames).push(packet.bytes);
  }
  const [video, audio] = [pictures.end(isLastWhole), frames.end()];
  return describe('mpeg-ps', [
    ...(video ? [{ kind: 'video' as const, ...video }] : []),
    ...(audio ? [{ kind: 'audio' as const, ...audio }] : []),
  ]);
}

type Counted = { kind: 'audio' | 'video'; codec: string; width?: number; height?: number; seconds: number };

function describe(container: string, counted: readonly Counted[]): Recording | undefined {
  if (counted.length === 0) return undefined;
  const tracks = counted.map(({ seconds: _, ...track }) => track);
  return { container, tracks, durationMs: toDurationMs(Math.max(...counted.map(({ seconds }) => seconds))) };
}
