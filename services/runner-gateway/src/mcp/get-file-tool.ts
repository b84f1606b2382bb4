import { handOutFile } from '../granted/hand-out-file.ts';
import { readGranted } from '../granted/read-granted.ts';
import type { AgentTool, ToolScope } from './agent-tool.ts';
import { answerFacts, type Refusal, type ToolAnswer } from './tool-answer.ts';
import { type FileInput, fileInput } from './tool-inputs.ts';
import { identify } from './view/describe-shown.ts';
import { findUnready } from './view/find-unready.ts';

export const fileTool: AgentTool = {
  name: 'attachment_file',
  title: 'Get an attachment as a file',
  description:
    'Puts a read-only copy of a file of any type on the disk and answers its path, for your own tools: a shell, a reader, a script. The copy is byte for byte what was uploaded.',
  input: fileInput,
  isReadOnly: true,
  needsOwnTools: true,
  run: (scope, input) => getFile(scope, input as FileInput),
};

/** The same as `POST /agent/attachments/{id}/file`, for a model that has tools of its program (BX-10). */
async function getFile({ deps, owner }: ToolScope, input: FileInput): Promise<ToolAnswer | Refusal> {
  const granted = await readGranted(deps, owner, input.attachmentId, input.variantId);
  const { attachment, variantId, mimeType, sizeBytes, sha256 } = granted;
  const refusal = findUnready(attachment);
  if (refusal) return refusal;
  const path = await handOutFile(deps, owner, granted);
  const form = variantId === undefined ? {} : { variantId, mimeType };
  return answerFacts({ ...identify(attachment), ...form, path, sizeBytes, sha256 });
}
