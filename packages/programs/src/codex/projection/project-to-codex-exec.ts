import type { ByteReference, Part } from '@attache/contracts';
import type { PathRendering } from '@attache/projections';
import { gatherPrompt, splitImagePart } from '@attache/projections/gather-prompt';
import { defineFormat } from '@attache/projections/part-format';

/**
 * `args` follow `codex exec` or `codex exec resume` and end the options; the caller adds `-`, or the thread's id and `-`, which
 * reads the prompt from `stdin`.
 */
export type CodexExecTurn = { args: string[]; stdin: string };

const codexExec = defineFormat('codex-exec', 'text', 'image', 'text-file', 'pages', 'descriptor');
export const codexExecCarries = codexExec.carries;

/** A turn of `codex exec`. Images go by path; the prompt is never an argument, where it could pass for an option. */
export function projectToCodexExec(parts: readonly Part[], rendering: PathRendering): CodexExecTurn {
  const { prompt, files } = gatherPrompt(parts.flatMap((part) => splitImagePart(codexExec, part, rendering)));
  // `--image` takes every value up to the next option, so each has its own and `--` ends the last (seen with Codex 0.169.0).
  return { args: [...files.map((file) => imageArgument(file, rendering)), '--'], stdin: prompt };
}

/** Our files are called by their ids, without commas. */
function imageArgument(reference: ByteReference, rendering: PathRendering): string {
  const path = rendering.path(reference);
  if (path.includes(','))
    throw new Error(`${codexExec.name} would split the path of ${reference.attachmentId} at a comma`);
  return `--image=${path}`;
}
