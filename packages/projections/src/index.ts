export { type ProjectionFormat, projectionFormats } from '@attache/contracts';
export { type AcpBlock, type AcpOptions, acpCarries, projectToAcp } from './acp/project-to-acp.ts';
export {
  type AnthropicBlock,
  type AnthropicFormat,
  anthropicCarries,
  buildBlocks,
  projectToAnthropic,
} from './anthropic/project-to-anthropic.ts';
export { type ByteRendering, type PathRendering, writeDataUrl } from './byte-rendering.ts';
export { type GooglePart, googleCarries, projectToGoogle } from './google/project-to-google.ts';
export { type EarlierMessage, replayHistory } from './history.ts';
export { type ChatPart, openaiChatCarries, projectToOpenaiChat } from './openai-chat/project-to-openai-chat.ts';
export {
  openaiResponsesCarries,
  projectToOpenaiResponses,
  type ResponsesContent,
} from './openai-responses/project-to-openai-responses.ts';
export type { PartType } from './part-format.ts';
export { projectParts } from './project-parts.ts';
