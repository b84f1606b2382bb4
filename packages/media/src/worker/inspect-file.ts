import type { InspectReply, InspectTask } from '../worker-protocol.ts';
import { inspectRecording } from './audio-video/inspect-recording.ts';
import { isRecordingType } from './audio-video/read-recording.ts';
import { type DetectedType, detectText, detectType } from './detect-type.ts';
import { isImage } from './image/image-formats.ts';
import { inspectImage } from './image/inspect-image.ts';
import { inspectPdf } from './pdf/inspect-pdf.ts';
import { readHead } from './read-file.ts';

/** Type and facts of a file, by its content: of images, PDF, sound and video only what a parser has accepted is ready. */
export async function inspectFile(task: InspectTask): Promise<InspectReply> {
  const detected = await detectType(task);
  const { mimeType, facts } = detected;
  if (mimeType === 'application/pdf') return inspectPdf({ ...task, mimeType, facts });
  if (isImage(mimeType)) return inspectImage({ ...task, mimeType, facts });
  if (isRecordingType(mimeType)) return inspectSoundOrVideo(task, detected);
  return { status: 'ready', mimeType, facts, warnings: [] };
}

async function inspectSoundOrVideo(task: InspectTask, { mimeType, isWeak }: DetectedType): Promise<InspectReply> {
  const found = await inspectRecording(task.path, mimeType);
  if (found !== undefined) return found;
  if (isWeak)
    return {
      status: 'ready',
      warnings: [],
      ...pickType(detectText(task.path, readHead(task.path), undefined, task.textType)),
    };
  const diagnostic = 'There is not one whole frame of sound or pictures in it.';
  return { status: 'rejected', mimeType, problem: { code: 'attachment_corrupt', diagnostic } };
}

const pickType = ({ mimeType, facts }: DetectedType) => ({ mimeType, facts });
