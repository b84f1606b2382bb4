import { sniffPdf } from '@attache/domain/sniff-pdf';
import { inspectRecording } from './audio-video/inspect.ts';
import { isRecordingType } from './audio-video/read-recording.ts';
import { readRecordingHint } from './audio-video/sniff.ts';
import { inspectImage } from './image/inspect.ts';
import { makeFromImage } from './image/make.ts';
import { isImage } from './image/sniff.ts';
import type { MediaKind } from './media-kind.ts';
import { inspectPdf } from './pdf/inspect.ts';
import { makeFromPdf } from './pdf/make.ts';
import { inspectText } from './text/inspect.ts';
import { makeFromText } from './text/make.ts';

/** Text, and what nothing here can read: what is known of it is its type. */
const anythingElse: MediaKind = { holds: () => true, inspect: inspectText, make: makeFromText };

export const kinds: readonly MediaKind[] = [
  { holds: (mimeType) => mimeType === 'application/pdf', sniff: sniffPdf, inspect: inspectPdf, make: makeFromPdf },
  { holds: isImage, inspect: inspectImage, make: makeFromImage },
  { holds: isRecordingType, readHint: readRecordingHint, inspect: inspectRecording },
];

/** The kind of a media type. */
export function findKind(mimeType: string): MediaKind {
  return kinds.find(({ holds }) => holds(mimeType)) ?? anythingElse;
}
