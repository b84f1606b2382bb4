import { formatMarker, type Marker, type ResourceView, type TranscriptAttachment } from '@attache/contracts';

// Texts that replace an attachment's bytes. Every line of this kind in the system comes from here (AT-28, SR-05).

/** The text for an attachment of an earlier message that is sent again. */
export function describeEarlier(attachment: Marker): string {
  return `${formatMarker(attachment)} (sent earlier; its content is not repeated)`;
}

/** The text for an attachment that the agent's model refused before. */
export function describeRefused(attachment: Marker): string {
  return `${formatMarker(attachment)} (not in this message: your model refused this file before)`;
}

/** The text for an attachment that the agent can read only by a tool. */
export function describeForTool(attachment: Marker): string {
  return `${formatMarker(attachment)} (not in this message; by its id attachment_file gives you the path of a copy, where you have that tool, and resource_view shows an image, a PDF or a text)`;
}

/** The state of an earlier turn's file when a history is sent again. `sent`: the policy, or the file's status, asks for a description. */
export type ReplayedState = 'sent' | 'made' | 'refused' | 'not-taken';

/** The text for a file of an earlier turn, with its digest, and with the reason if it could not be sent again (SR-20). */
export function describeReplayed(attachment: TranscriptAttachment, state: ReplayedState): string {
  return `${markerOf(attachment)} (${remarkOn(attachment, state)})`;
}

/** The text for a view of a file that an agent requested. The content of the view was not kept. */
export function describeView(attachment: TranscriptAttachment, view: ResourceView = {}): string {
  return `${markerOf(attachment)} (you looked at ${nameView(view)}; what you saw is not repeated)`;
}

/** The text for something that cannot be shown. */
export function describeGap(what: 'event' | 'message' | 'text'): string {
  switch (what) {
    case 'event':
      return '[something here was recorded by another release and cannot be read]';
    case 'message':
      return '[a message that can no longer be read]';
    case 'text':
      return '[the text of this message was removed]';
    default:
      return what satisfies never;
  }
}

// Facts about a file that are no longer known are not guessed: its marker keeps the form, with neutral values.
const markerOf = ({ id, mimeType = 'application/octet-stream', name = '' }: TranscriptAttachment): string =>
  formatMarker({ id, mimeType, name });

function remarkOn({ status, sha256, failureCode }: TranscriptAttachment, state: ReplayedState): string {
  const from = state === 'made' ? 'given back by you' : 'sent earlier';
  if (status === 'deleted') return `${from}; it was deleted since`;
  if (status === 'unknown') return `${from}; nothing is known of it any more`;
  if (status === 'rejected') return `${from}; it did not pass inspection: ${failureCode ?? 'no reason is known'}`;
  const what = `${from}, sha256 ${sha256 ?? 'not known'}`;
  if (state === 'refused') return `${what}; your model refused this file`;
  if (state === 'not-taken') return `${what}; your model does not take it as it was sent`;
  return `${what}; its content is not repeated`;
}

function nameView({ page, crop, maxEdgePixels, textRange }: ResourceView): string {
  const named = [
    page === undefined ? [] : `page ${page}`,
    crop === undefined ? [] : `the part of ${crop.width} × ${crop.height} pixels at ${crop.x}, ${crop.y}`,
    textRange === undefined ? [] : `${textRange.length} characters from ${textRange.offset}`,
    maxEdgePixels === undefined ? [] : `no edge longer than ${maxEdgePixels} pixels`,
  ].flat();
  return named.length === 0 ? 'it' : named.join(', ');
}
