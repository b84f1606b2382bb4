import type { Part, ProjectionFormat } from '@attache/contracts';
import { projectToAcp } from './acp/project-to-acp.ts';
import { projectToAnthropic } from './anthropic/project-to-anthropic.ts';
import type { ByteRendering } from './byte-rendering.ts';
import { projectToGoogle } from './google/project-to-google.ts';
import { projectToOpenaiChat } from './openai-chat/project-to-openai-chat.ts';
import { projectToOpenaiResponses } from './openai-responses/project-to-openai-responses.ts';

type Converter = (parts: readonly Part[], rendering: ByteRendering) => unknown[];

const converters: Record<ProjectionFormat, Converter> = {
  anthropic: projectToAnthropic,
  'openai-responses': projectToOpenaiResponses,
  'openai-chat': projectToOpenaiChat,
  google: projectToGoogle,
  acp: (parts, rendering) => projectToAcp(parts, rendering, { embedsText: true }),
};

/** The blocks of one user message in a format, as JSON values. */
export function projectParts(format: ProjectionFormat, parts: readonly Part[], rendering: ByteRendering): unknown[] {
  return converters[format](parts, rendering);
}
