import type { AttachmentFacts } from '@attache/contracts';
import type { InspectReply, Problem } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';
import { nameRecordingType, readRecording } from './read-recording.ts';
import type { Recording, Track } from './recording.ts';

/** Type and facts of sound and video, once a reader has found whole frames. */
export async function inspectRecording({ path, mimeType }: DetectedFile): Promise<InspectReply> {
  const recording = await readRecording(path, mimeType);
  if (recording === undefined) return { status: 'rejected', mimeType, problem: noFrame };
  return {
    status: 'ready',
    mimeType: nameRecordingType(mimeType, recording),
    facts: describeRecording(recording),
    warnings: [],
  };
}

const noFrame: Problem = {
  code: 'attachment_corrupt',
  diagnostic: 'There is not one whole frame of sound or pictures in it.',
};

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
