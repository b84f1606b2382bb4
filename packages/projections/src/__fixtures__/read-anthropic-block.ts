import type { AnthropicBlock } from '../anthropic/project-to-anthropic.ts';
import type { Seen } from '../converter.contract.ts';

export function readAnthropicBlock(block: AnthropicBlock): Seen {
  if (block.type === 'text') return { form: 'text', holds: block.text };
  const { source } = block;
  const holds = source.type === 'url' ? source.url : source.data;
  return { form: source.type === 'text' ? 'text-file' : block.type, holds };
}
