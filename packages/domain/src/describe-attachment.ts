import { formatMarker, type Marker } from './marker.ts';

// What is said of an attachment instead of its bytes. Every line of this kind in the system comes from here (AT-28, SR-05).

/** What is sent again of an attachment of an earlier message. */
export function describeEarlier(attachment: Marker): string {
  return `${formatMarker(attachment)} (sent earlier; its content is not repeated)`;
}

/** What an agent gets of an attachment that it can only read by a tool. */
export function describeForTool(attachment: Marker): string {
  return `${formatMarker(attachment)} (not in this message; read it with the attachment tools, by its id)`;
}
