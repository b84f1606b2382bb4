import { formatMarker, type Marker } from '@attache/contracts';
import type { TakenRun } from './strip-media.ts';
import { describeSpelling } from './take-out.ts';

/** The media type of a file that was taken out of a text. Bytes of no known type may be anything: they are never shown as text. */
export function typeOfTaken({ kind, mimeType, spelling }: TakenRun): string {
  const isText = kind === 'bytes' && spelling === undefined;
  return mimeType ?? (isText ? 'text/plain' : 'application/octet-stream');
}

/** The extension for the name of such a file. */
export function extensionOf(mimeType: string): string {
  return extensions[mimeType] ?? mimeType.split('/')[1] ?? 'bin';
}

const extensions: Record<string, string> = {
  'application/octet-stream': 'bin',
  'text/plain': 'txt',
  'image/svg+xml': 'svg',
};

/** The text in the place of such a file, once it is an attachment. For bytes of no known type it says how they were spelled. */
export function markTaken(attachment: Marker, { kind, spelling }: TakenRun): string {
  return kind === 'media' ? formatMarker(attachment) : `${formatMarker(attachment)}${describeSpelling(spelling)}`;
}
