import type { AttachmentFacts, Warning } from '@attache/contracts';
import { nameTextType, type TextTypeClues } from '@attache/domain/name-text-type';
import { decodeOpening } from '@attache/domain/text-decoder';
import { detectEncoding } from './detect-encoding.ts';

type TextClues = TextTypeClues & { path: string; head: Buffer };

/** What a file is whose first bytes show no format. */
export type SniffedText = { mimeType: string; facts: AttachmentFacts; warnings: Warning[] };

/** The type of a file whose first bytes show no format: text if all of it decodes. */
export async function sniffText({ path, head, ...clues }: TextClues): Promise<SniffedText> {
  const { facts, warnings } = await detectEncoding(path);
  if (facts === undefined) return { mimeType: 'application/octet-stream', facts: {}, warnings };
  return { mimeType: nameTextType(decodeOpening(head, facts.encoding), clues), facts, warnings };
}
