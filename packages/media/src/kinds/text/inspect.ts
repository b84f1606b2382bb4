import type { InspectReply } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';

/** What was read to find out that a file is text is all that is to be known of it. */
export function inspectText({ mimeType, facts }: Pick<DetectedFile, 'mimeType' | 'facts'>): InspectReply {
  return { status: 'ready', mimeType, facts, warnings: [] };
}
