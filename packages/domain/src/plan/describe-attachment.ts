import { formatMarker, type Marker } from '../text/marker.ts';

// What is said of an attachment instead of its bytes. Every line of this kind in the system comes from here (AT-28, SR-05).

/** What is sent again of an attachment of an earlier message. */
export function describeEarlier(attachment: Marker): string {
  return `${formatMarker(attachment)} (sent earlier; its content is not repeated)`;
}

/** What an agent gets of an attachment that its model refused before. */
export function describeRefused(attachment: Marker): string {
  return `${formatMarker(attachment)} (not in this message: your model refused this file before)`;
}

/** What an agent gets of an attachment that it can only read by a tool. */
export function describeForTool(attachment: Marker): string {
  return `${formatMarker(attachment)} (not in this message; by its id attachment_file gives you the path of a copy, where you have that tool, and resource_view shows an image, a PDF or a text)`;
}
