import type { InspectReply } from '../../worker-protocol.ts';
import type { DetectedFile } from '../media-kind.ts';

type ReadFile = Pick<DetectedFile, 'mimeType' | 'facts' | 'warnings'>;

/** The read that found that a file is text has already found all facts about it. */
export function inspectText({ mimeType, facts, warnings = [] }: ReadFile): InspectReply {
  return { status: 'ready', mimeType, facts, warnings };
}
