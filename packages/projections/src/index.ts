export { type ProjectionFormat, projectionFormats } from '@attache/contracts';
export { type AcpBlock, type AcpOptions, acpCarries, projectToAcp } from './acp/project-to-acp.ts';
export { type AnthropicBlock, anthropicCarries, projectToAnthropic } from './anthropic/project-to-anthropic.ts';
export type { ByteRendering, PathRendering } from './byte-rendering.ts';
export { type ClaudeUserLine, claudeCarries, projectToClaude } from './claude/project-to-claude.ts';
export { type CodexExecTurn, codexExecCarries, projectToCodexExec } from './codex/project-to-codex-exec.ts';
export { type CodexInput, codexTurnCarries, projectToCodexTurn } from './codex/project-to-codex-turn.ts';
export { type GooglePart, googleCarries, projectToGoogle } from './google/project-to-google.ts';
export { countKept, type EarlierMessage, replayHistory } from './history.ts';
export { type ChatPart, openaiChatCarries, projectToOpenaiChat } from './openai-chat/project-to-openai-chat.ts';
export {
  openaiResponsesCarries,
  projectToOpenaiResponses,
  type ResponsesContent,
} from './openai-responses/project-to-openai-responses.ts';
export {
  type OpencodePart,
  opencodeMessageCarries,
  projectToOpencodeMessage,
} from './opencode/project-to-opencode-message.ts';
export { type OpencodeRunTurn, opencodeRunCarries, projectToOpencodeRun } from './opencode/project-to-opencode-run.ts';
export type { PartType } from './part-format.ts';
export { type PiPrompt, piCarries, projectToPi } from './pi/project-to-pi.ts';
export { projectParts } from './project-parts.ts';
