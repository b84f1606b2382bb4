import type { AttachmentFacts, Warning } from '@attache/contracts';
import { createMediaCounter, type MediaCounter } from '@attache/domain/count-media';
import { nameTextType, type TextTypeClues } from '@attache/domain/name-text-type';
import { decodeOpening } from '@attache/domain/text-decoder';
import { decodeFile } from './decode-file.ts';
import { type DetectedEncoding, detectEncoding } from './detect-encoding.ts';

type TextClues = TextTypeClues & { path: string; head: Buffer };

/** The type and facts of a file whose first bytes show no format. */
export type SniffedText = { mimeType: string; facts: AttachmentFacts; warnings: Warning[] };

/** The type of a file whose first bytes show no format: text if all of it decodes. */
export async function sniffText({ path, head, ...clues }: TextClues): Promise<SniffedText> {
  const detected = await detectEncoding(path);
  const { facts, warnings } = detected;
  if (facts === undefined) return { mimeType: 'application/octet-stream', facts: {}, warnings };
  const mimeType = nameTextType(decodeOpening(head, facts.encoding), clues);
  const media = detected.mayHoldMedia ? countMedia(path, facts) : {};
  return { mimeType, facts: { ...facts, ...media }, warnings };
}

function countMedia(
  path: string,
  { encoding, textFaults }: DetectedEncoding['facts'],
): ReturnType<MediaCounter['facts']> {
  const counter = createMediaCounter();
  for (const text of decodeFile(path, encoding, textFaults?.linesAs)) counter.push(text);
  return counter.facts();
}
