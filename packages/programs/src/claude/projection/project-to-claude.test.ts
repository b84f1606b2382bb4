import type { MessageParam } from '@anthropic-ai/sdk/resources/messages';
import { describeConverter } from '@attache/projections/contract';
import { givenParts } from '@attache/projections/fixtures/every-part';
import { readAnthropicBlock } from '@attache/projections/fixtures/read-anthropic-block';
import { givenReference, inlineRendering } from '@attache/projections/fixtures/references';
import { describe, expect, it } from 'vitest';
import { type ClaudeUserLine, claudeCarries, projectToClaude } from './project-to-claude.ts';

describe('projectToClaude', () => {
  it('gives the user line of stream-json, with Anthropic’s blocks of content for text and image [SR-04 DL-02]', () => {
    const line = projectToClaude(givenParts(new Set(['text', 'image'])), inlineRendering);
    const message: MessageParam = line.message;
    expect(line).toEqual({ type: 'user', message });
    expect(message).toEqual({
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        {
          type: 'image',
          source: {
            type: 'base64',
            media_type: 'image/png',
            data: inlineRendering.base64(givenReference(1, 'image/png')),
          },
        },
      ],
    });
  });

  it('refuses under its own name', () => {
    expect(() => projectToClaude(givenParts(new Set(['audio'])), inlineRendering)).toThrow(/^claude has no way in/);
  });
});

describeConverter({
  title: 'to Claude',
  offers: 'base64',
  carries: claudeCarries,
  convert: projectToClaude,
  read: ({ message }: ClaudeUserLine) => message.content.map(readAnthropicBlock),
  wayOf: () => 'base64',
  embedsText: true,
});
