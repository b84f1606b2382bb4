import type { AttachmentKind, Capability, Part } from '@attache/contracts';
import { essenceOf } from '@attache/contracts/media-type';
import { referencesOf } from '../plan/compose-part.ts';
import { byteLimitOf } from '../plan/room/room.ts';

/** The kind as which each part counts for a target. */
const kinds = {
  image: 'image',
  pages: 'image',
  document: 'document',
  'text-file': 'text',
  audio: 'audio',
  video: 'video',
} as const satisfies Partial<Record<Part['type'], AttachmentKind>>;

/**
 * Whether a target takes a part in the form that it has: its kind, its media type and the size of each file alone. Unknown is not taken (DL-50). How much fits
 * next to other parts is a matter of its budget.
 */
export function takesPart(capability: Capability, part: Part): boolean {
  if (part.type === 'text' || part.type === 'descriptor') return true;
  const kind = capability[kinds[part.type]];
  if (kind.transport !== 'yes' || kind.model !== 'yes') return false;
  return referencesOf(part).every(({ mimeType, sizeBytes }) => {
    const isTypeTaken = part.type === 'text-file' || kind.mimeTypes.includes(essenceOf(mimeType) ?? '');
    return isTypeTaken && sizeBytes <= byteLimitOf(kind);
  });
}
