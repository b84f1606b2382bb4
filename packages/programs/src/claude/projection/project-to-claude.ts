import type { Part } from '@attache/contracts';
import {
  type AnthropicBlock,
  type AnthropicFormat,
  anthropicCarries,
  type ByteRendering,
  buildBlocks,
} from '@attache/projections';

/** One line of standard input with `--input-format stream-json`. */
export type ClaudeUserLine = { type: 'user'; message: { role: 'user'; content: AnthropicBlock[] } };

/** A sound block would be forwarded as it is, which the API behind it does not know (seen with Claude Code 2.1.329). */
const claude: AnthropicFormat = { name: 'claude', carries: anthropicCarries };
export const claudeCarries = claude.carries;

/** The user line of a turn. URL sources are handed on untouched. */
export function projectToClaude(parts: readonly Part[], rendering: ByteRendering): ClaudeUserLine {
  return { type: 'user', message: { role: 'user', content: buildBlocks(claude, parts, rendering) } };
}
