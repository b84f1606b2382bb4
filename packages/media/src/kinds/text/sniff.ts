import type { AttachmentFacts } from '@attache/contracts';
import { nameTextType, type TextTypeClues } from '@attache/domain/name-text-type';
import { decodeOpening } from '@attache/domain/text-decoder';
import { detectEncoding } from './detect-encoding.ts';

type TextClues = TextTypeClues & { path: string; head: Buffer };

/** The type of a file whose first bytes show no format: text if all of it decodes. */
export function sniffText({ path, head, ...clues }: TextClues): { mimeType: string; facts: AttachmentFacts } {
  const encoding = detectEncoding(path);
  if (encoding === undefined) return { mimeType: 'application/octet-stream', facts: {} };
  const opening = decodeOpening(head, encoding.encoding);
  return { mimeType: nameTextType(opening, clues), facts: encoding };
}
