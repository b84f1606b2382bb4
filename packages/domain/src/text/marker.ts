import { type AttachmentId, formatMarker, type Marker } from '@attache/contracts';

/**
 * A message's text with one marker line for each attachment, each id once (AT-28). A marker that already is in the text
 * letter for letter (a completed token, or where its file was taken out of the text) is not repeated; a marker that differs from ours in anything is just text.
 */
export function announceAttachments(text: string, attachments: readonly Marker[]): string {
  const announced = new Set<AttachmentId>();
  const lines: string[] = [];
  for (const attachment of attachments) {
    if (announced.has(attachment.id)) continue;
    announced.add(attachment.id);
    const line = formatMarker(attachment);
    if (!text.includes(line)) lines.push(line);
  }
  return [...(text === '' ? [] : [text]), ...lines].join('\n');
}
