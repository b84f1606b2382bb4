import type { ByteReference, Part } from '@attache/contracts';
import type { ByteRendering } from './byte-rendering.ts';
import { type PartFormat, type PartOf, refusePart } from './part-format.ts';
import { writePagesHeading, writeTextFile } from './words.ts';

/** For programs that take one prompt and, apart from it, files: what a part adds to them. */
export type PromptPiece = { text: string } | { file: ByteReference };

/** One prompt, and the files in the order in which its parts mention them. */
export function gatherPrompt(pieces: readonly PromptPiece[]): { prompt: string; files: ByteReference[] } {
  return {
    prompt: pieces.flatMap((piece) => ('text' in piece ? [piece.text] : [])).join('\n\n'),
    files: pieces.flatMap((piece) => ('file' in piece ? [piece.file] : [])),
  };
}

/** The prompt format of programs whose files can only be images. */
export type ImagePromptFormat = PartFormat<'text' | 'image' | 'text-file' | 'pages' | 'descriptor'>;

export function splitImagePart(format: ImagePromptFormat, part: Part, rendering: ByteRendering): PromptPiece[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ text: part.text }];
    case 'image':
      return [{ file: part.bytes }];
    case 'text-file':
      return [{ text: writeTextFile(part, rendering) }];
    case 'pages':
      return splitPages(part);
    case 'document':
    case 'audio':
    case 'video':
      return refusePart(format, part);
    default:
      return part satisfies never;
  }
}

export function splitPages(part: PartOf<'pages'>): PromptPiece[] {
  return [{ text: writePagesHeading(part) }, ...part.pages.map((file) => ({ file }))];
}
