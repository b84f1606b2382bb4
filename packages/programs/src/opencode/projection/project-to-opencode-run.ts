import type { ByteReference, Part } from '@attache/contracts';
import type { PathRendering } from '@attache/projections';
import { gatherPrompt, type PromptPiece, splitPages } from '@attache/projections/gather-prompt';
import { defineFormat, refusePart } from '@attache/projections/part-format';
import { writeTextFile } from '@attache/projections/words';

/** `args` are options of `opencode run`, without a message among them: that is on `stdin`. */
export type OpencodeRunTurn = { args: string[]; stdin: string };

const opencodeRun = defineFormat('opencode-run', 'text', 'image', 'text-file', 'document', 'pages', 'descriptor');
export const opencodeRunCarries = opencodeRun.carries;

/** A turn of `opencode run`. Images and PDF go by path; a text file is in the prompt, so that it has its name and comes whole. */
export function projectToOpencodeRun(parts: readonly Part[], rendering: PathRendering): OpencodeRunTurn {
  const { prompt, files } = gatherPrompt(parts.flatMap((part) => splitPart(part, rendering)));
  return { args: files.flatMap((file) => ['-f', absolutePathOf(file, rendering)]), stdin: prompt };
}

function splitPart(part: Part, rendering: PathRendering): PromptPiece[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ text: part.text }];
    case 'text-file':
      return [{ text: writeTextFile(part, rendering) }];
    case 'image':
    case 'document':
      return [{ file: part.bytes }];
    case 'pages':
      return splitPages(part);
    case 'audio':
    case 'video':
      return refusePart(opencodeRun, part);
    default:
      return part satisfies never;
  }
}

/** Any other could pass for an option. */
function absolutePathOf(reference: ByteReference, rendering: PathRendering): string {
  const path = rendering.path(reference);
  if (!path.startsWith('/')) throw new Error(`${opencodeRun.name} needs an absolute path of ${reference.attachmentId}`);
  return path;
}
