import { AGENT_METHODS, type PromptRequest } from '@agentclientprotocol/sdk';
import type { DeliveryContents } from '@attache/agent-process';
import type { EmbeddedBytes, Frame } from '@attache/agent-process/frames/create-frame';
import type { Part } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { promptFrame } from './prompt-frame.ts';

const attachmentId = 'att_AAAAAAAAAAAAAAAAAAAAAA';
const deliveryId = 'dlv_AAAAAAAAAAAAAAAAAAAAAA';

const nameOf = (content: EmbeddedBytes): string => ('path' in content ? `<${content.path}>` : '<bytes>');

function messageOf(frame: Frame): { id: string; method: string; params: PromptRequest } {
  const pieces = frame.pieces.map((piece) => (piece.type === 'text' ? piece.text : nameOf(piece.content)));
  return JSON.parse(pieces.join(''));
}

const reference = { attachmentId, mimeType: 'image/png', sizeBytes: 3, sha256: 'a'.repeat(64) } as const;
const text = { ...reference, mimeType: 'text/plain' };
const contents: DeliveryContents = { embedded: () => ({ path: '/a/1.png', sizeBytes: 3 }), text: () => 'body' };

function promptOf(parts: Part[], trace?: { traceparent: string; tracestate?: string }, embedsText = true) {
  return messageOf(promptFrame({ deliveryId, sessionId: 's', parts, contents, options: { embedsText }, trace }));
}

const everyPart: Part[] = [
  { type: 'text', text: 'look' },
  { type: 'image', bytes: reference },
  { type: 'text-file', bytes: text, name: 'a.txt' },
];

describe('promptFrame', () => {
  it('adds nothing to the protocol: its own method and blocks, our words only under _meta [AT-04]', () => {
    const { method, params } = promptOf(everyPart);
    expect(Object.values(AGENT_METHODS)).toContain(method);
    expect(Object.keys(params).sort()).toEqual(['_meta', 'prompt', 'sessionId']);
    expect(params.prompt.map((block) => [block.type, ...Object.keys(block).sort()])).toEqual([
      ['text', 'text', 'type'],
      ['image', 'data', 'mimeType', 'type'],
      ['resource', 'resource', 'type'],
    ]);
  });

  it('is a request under the delivery’s id with bare W3C trace keys [W17 BX-12]', () => {
    const { id, method, params } = promptOf([], { traceparent: '00-a-b-01', tracestate: 'v=1' });
    expect({ id, method }).toEqual({ id: deliveryId, method: 'session/prompt' });
    expect(params._meta).toEqual({ traceparent: '00-a-b-01', tracestate: 'v=1', attache: { deliveryId } });
    expect(promptOf([]).params._meta).toEqual({ attache: { deliveryId } });
  });

  it('makes an image a native block whose data stands in its file [AT-27 DL-103]', () => {
    const { params } = promptOf([
      { type: 'text', text: 'look' },
      { type: 'image', bytes: reference },
    ]);
    expect(params.prompt).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image', mimeType: 'image/png', data: '</a/1.png>' },
    ]);
  });

  it('carries a text file in a block of its own, or under a header on one line [RP-08]', () => {
    const file = { type: 'text-file', bytes: text, name: 'a "b"\n]c.txt' } as const;
    const [embedded] = promptOf([file]).params.prompt;
    const [plain] = promptOf([file], undefined, false).params.prompt;
    const uri = `attachment:${attachmentId}/a%20%22b%22%0A%5Dc.txt`;
    expect(embedded).toEqual({ type: 'resource', resource: { uri, mimeType: 'text/plain', text: 'body' } });
    expect(URL.canParse(uri)).toBe(true);
    expect(plain).toEqual({ type: 'text', text: 'File "a \\"b\\"\\n]c.txt" (text/plain):\nbody' });
  });
});
