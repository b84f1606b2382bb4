import { beforeEach, describe, expect, it } from 'vitest';
import type { DriverHooks, DriverOutput, OutputDeltaPiece } from '../driver.ts';
import { createUpdateFold, type UpdateFold } from './fold-updates.ts';

const bytes = Buffer.from('not really a picture');
const image = { type: 'image', mimeType: 'image/png', data: bytes.toString('base64') };
const chunk = (text: string, rest: object = {}) => ({
  sessionUpdate: 'agent_message_chunk',
  content: { type: 'text', text },
  ...rest,
});

let outputs: DriverOutput[];
let deltas: OutputDeltaPiece[];
let results: unknown[];
let fold: UpdateFold;
beforeEach(() => {
  outputs = [];
  deltas = [];
  results = [];
  const hooks: DriverHooks = {
    onOutput: async (item) => void outputs.push(item),
    onDelta: (delta) => void deltas.push(delta),
    onToolCall: async () => ({ decision: 'allow' }),
    onToolResult: async ({ content }) => {
      results.push(content);
      return content;
    },
  };
  fold = createUpdateFold(hooks, 100);
});

async function applyAll(...updates: object[]): Promise<DriverOutput[]> {
  for (const update of updates) await fold.apply({ ...update });
  await fold.flush();
  return outputs;
}

describe('an agent’s updates become finished items', () => {
  it('joins text until a thought, another message or the end', async () => {
    const thought = { sessionUpdate: 'agent_thought_chunk', content: { type: 'text', text: 'hm' } };
    expect(
      await applyAll(chunk('a'), chunk('b'), thought, chunk('c', { messageId: '1' }), chunk('d', { messageId: '2' })),
    ).toEqual([
      { type: 'text', text: 'ab' },
      { type: 'thought', text: 'hm' },
      { type: 'text', text: 'c' },
      { type: 'text', text: 'd' },
    ]);
    expect(deltas.map(({ text }) => text)).toEqual(['a', 'b', 'hm', 'c', 'd']);
  });

  it('gives out an endless text in pieces', async () => {
    await applyAll(...Array.from({ length: 50 }, () => chunk('0123456789')));
    expect(outputs.length).toBeGreaterThan(1);
    expect(outputs.map((item) => item.type === 'text' && item.text).join('')).toHaveLength(500);
  });

  it('hands media over as bytes, in its place [SR-24]', async () => {
    const blob = { type: 'resource', resource: { uri: 'x:1', mimeType: 'application/pdf', blob: image.data } };
    expect(await applyAll(chunk('see'), { ...chunk(''), content: image }, { ...chunk(''), content: blob })).toEqual([
      { type: 'text', text: 'see' },
      { type: 'media', mimeType: 'image/png', bytes },
      { type: 'media', mimeType: 'application/pdf', bytes },
    ]);
    expect(deltas).toEqual([{ type: 'text', text: 'see' }]);
  });

  it('makes one item of a tool call and its updates, with its media taken out once [AT-34]', async () => {
    const content = [
      { type: 'content', content: image },
      { type: 'content', content: { type: 'text', text: 'done' } },
    ];
    await applyAll(
      { sessionUpdate: 'tool_call', toolCallId: 't', title: 'Draw', kind: 'edit', status: 'in_progress', content },
      { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed', content },
      { sessionUpdate: 'tool_call_update', toolCallId: 't', status: 'completed' },
    );
    expect(outputs).toEqual([
      { type: 'media', mimeType: 'image/png', bytes, callId: 't' },
      { type: 'tool-call', callId: 't', tool: 'edit', title: 'Draw', status: 'completed', text: 'done' },
    ]);
    expect(JSON.stringify(results)).not.toContain(image.data);
  });

  it('takes a structured result in beside the text, but nothing twice [SR-24 AT-34]', async () => {
    const content = [
      { type: 'content', content: image },
      { type: 'content', content: { type: 'text', text: 'done' } },
    ];
    const rawOutput = {
      stdout: 'done\n',
      exit: 0,
      rows: [{ name: 'x' }],
      content: [image, { type: 'text', text: 'done' }],
    };
    await applyAll({ sessionUpdate: 'tool_call', toolCallId: 't', status: 'completed', content, rawOutput });
    expect(outputs.at(-1)).toMatchObject({ text: 'done\n{"exit":0,"rows":[{"name":"x"}]}' });
    outputs.length = 0;
    const text = { type: 'content', content: { type: 'text', text: '{ "n": 1 }' } };
    const call = { sessionUpdate: 'tool_call', toolCallId: 'u', status: 'completed' };
    await applyAll({ ...call, content: [text], rawOutput: { n: 1 } });
    expect(outputs).toEqual([expect.objectContaining({ text: '{ "n": 1 }' })]);
  });

  it('keeps what a tool gives in a form of its own: a diff, a block of another protocol, data that is no base64', async () => {
    const diff = { type: 'diff', path: 'a.txt', oldText: 'a', newText: 'b' };
    const claude = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: image.data } };
    const broken = { type: 'image', mimeType: 'image/png', data: 'broken: not base64' };
    await applyAll({
      sessionUpdate: 'tool_call',
      toolCallId: 't',
      status: 'completed',
      content: [diff, { type: 'content', content: claude }, { type: 'content', content: broken }],
    });
    expect(outputs).toMatchObject([{ text: [diff, claude, broken].map((each) => JSON.stringify(each)).join('\n') }]);
  });

  it('gives out a tool call that never ended at the end of the turn', async () => {
    expect(await applyAll({ sessionUpdate: 'tool_call', toolCallId: 't', rawOutput: { a: 1 } })).toEqual([
      { type: 'tool-call', callId: 't', tool: 'other', title: '', status: 'pending', text: '{"a":1}' },
    ]);
  });

  it('takes any shape without falling over', async () => {
    const shapes = [undefined, null, 3, 'x', [], [null], [[3]], { content: 4 }, { type: 'image' }];
    for (const content of shapes) {
      await applyAll(
        { sessionUpdate: 'agent_message_chunk', content },
        { sessionUpdate: 'tool_call', toolCallId: 7, content },
        { sessionUpdate: 'tool_call', toolCallId: 's', title: {}, status: 'completed', content },
        { sessionUpdate: 'plan', content },
      );
    }
    expect(new Set(outputs.map(({ type }) => type))).toEqual(new Set(['tool-call', 'text']));
    expect(outputs).toContainEqual({ type: 'text', text: '{"content":4}' });
  });
});
