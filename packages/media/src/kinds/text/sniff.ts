import type { AttachmentFacts, Warning } from '@attache/contracts';
import { createMediaCounter, type MediaCounter } from '@attache/domain/count-media';
import { createMediaHint } from '@attache/domain/media-hint';
import { nameTextType, type TextTypeClues } from '@attache/domain/name-text-type';
import { decodeOpening } from '@attache/domain/text-decoder';
import { decodeFile } from './decode-file.ts';
import { type DetectedEncoding, detectEncoding } from './detect-encoding.ts';

type TextFacts = DetectedEncoding['facts'];

type TextClues = TextTypeClues & { path: string; head: Buffer };

/** The type and facts of a file whose first bytes show no format. */
export type SniffedText = { mimeType: string; facts: AttachmentFacts; warnings: Warning[] };

/** The type of a file whose first bytes show no format: text if all of it decodes. */
export async function sniffText({ path, head, ...clues }: TextClues): Promise<SniffedText> {
  const { facts, warnings } = await detectEncoding(path);
  if (facts === undefined) return { mimeType: 'application/octet-stream', facts: {}, warnings };
  const mimeType = nameTextType(decodeOpening(head, facts.encoding), clues);
  return { mimeType, facts: { ...facts, ...countMedia(path, facts) }, warnings };
}

/** A text in which nothing announces a file is not read for it again. */
function countMedia(path: string, { encoding, textFaults }: TextFacts): ReturnType<MediaCounter['facts']> {
  const hint = createMediaHint();
  for (const text of decodeFile(path, encoding, textFaults?.linesAs)) hint.push(text);
  if (!hint.isFound()) return {};
  const counter = createMediaCounter();
  for (const text of decodeFile(path, encoding, textFaults?.linesAs)) counter.push(text);
  return counter.facts();
}
