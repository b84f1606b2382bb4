import type { AttachmentFacts } from '@attache/contracts';
import type { InspectReply } from '../../worker-protocol.ts';
import { nameRecordingType, readRecording } from './read-recording.ts';
import type { Recording, Track } from './recording.ts';

/** Type and facts of sound and video, once a reader has found whole frames. Undefined where there is none. */
export async function inspectRecording(path: string, mimeType: string): Promise<InspectReply | undefined> {
  const recording = await readRecording(path, mimeType);
  if (recording === undefined) return undefined;
  return {
    status: 'ready',
    mimeType: nameRecordingType(mimeType, recording),
    facts: describeRecording(recording),
    warnings: [],
  };
}

function describeRecording({ container, tracks, durationMs }: Recording): AttachmentFacts {
  const video = tracks.find(({ kind }) => kind === 'video');
  const audio = tracks.find(({ kind }) => kind === 'audio');
  return {
    container,
    ...sizeOf(video),
    ...(video?.codec && { videoCodec: video.codec }),
    ...(audio?.codec && { audioCodec: audio.codec }),
    ...(durationMs !== undefined && { durationMs }),
  };
}

// Wider than any coding can be: a number in a header.
const mostEdgePixels = 65_535;

function sizeOf(video: Track | undefined): AttachmentFacts {
  const { width = 0, height = 0 } = video ?? {};
  return width >= 1 && height >= 1 && Math.max(width, height) <= mostEdgePixels ? { width, height } : {};
}
