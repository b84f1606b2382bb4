import type { InspectReply } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';

/** The read that found that a file is text has already found all facts about it. */
export function inspectText({ mimeType, facts }: Pick<DetectedFile, 'mimeType' | 'facts'>): InspectReply {
  return { status: 'ready', mimeType, facts, warnings: [] };
}
