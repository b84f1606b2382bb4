export { type AcpBlock, type AcpOptions, projectToAcp } from './acp/project-to-acp.ts';
export {
  type AnthropicBlock,
  type AnthropicFormat,
  anthropicCarries,
  buildBlocks,
} from './anthropic/project-to-anthropic.ts';
export { type ByteRendering, type PathRendering, writeDataUrl } from './byte-rendering.ts';
export { type EarlierMessage, replayHistory } from './history.ts';
export { projectParts } from './project-parts.ts';
