import { describe, expect, it } from 'vitest';
import { paths, post, readAnswer, readEvents, startStubForTest } from './ask-stub.ts';

const call = { name: 'Bash', input: { command: 'ls' } };
const json = JSON.stringify(call.input);

async function stream(path: string, body: object) {
  const stub = await startStubForTest();
  stub.script(() => ({ text: 'let me', toolCalls: [call] }));
  const response = await post(stub, path, body);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  return readEvents(response);
}

describe('a stream', () => {
  it('of Anthropic carries a text block and a tool_use block', async () => {
    const events = await stream(paths.anthropic, { model: 'm', stream: true, messages: [] });
    expect(events).toMatchObject([
      { type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens: 100 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'let me' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', name: 'Bash', input: {} } },
      { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: json } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 10 } },
      { type: 'message_stop' },
    ]);
  });

  it('of OpenAI Responses carries a message and a function_call, and ends with all of it', async () => {
    const events = await stream(paths['openai-responses'], { model: 'm', stream: true, input: 'x' });
    const item = { type: 'function_call', name: 'Bash', arguments: json, status: 'completed' };
    expect(events.map((event) => (event as { type: string }).type)).toEqual([
      'response.created',
      'response.output_item.added',
      'response.content_part.added',
      'response.output_text.delta',
      'response.output_text.done',
      'response.content_part.done',
      'response.output_item.done',
      'response.output_item.added',
      'response.function_call_arguments.delta',
      'response.function_call_arguments.done',
      'response.output_item.done',
      'response.completed',
    ]);
    expect(events[7]).toMatchObject({ output_index: 1, item: { ...item, arguments: '', status: 'in_progress' } });
    expect(events[10]).toMatchObject({ item });
    expect(events[11]).toMatchObject({
      response: { status: 'completed', output: [{ type: 'message' }, item], usage: { input_tokens: 100 } },
    });
  });

  it('of OpenAI Chat Completions carries tool_calls and ends with its usage', async () => {
    const events = await stream(paths['openai-chat'], { model: 'm', stream: true, messages: [] });
    const wireCall = { index: 0, type: 'function', function: { name: 'Bash', arguments: json } };
    expect(events).toMatchObject([
      { choices: [{ delta: { role: 'assistant' } }] },
      { choices: [{ delta: { content: 'let me' } }] },
      { choices: [{ delta: { tool_calls: [wireCall] } }] },
      { choices: [{ finish_reason: 'tool_calls' }] },
      { choices: [], usage: { total_tokens: 110 } },
      '[DONE]',
    ]);
  });

  it('of Gemini carries functionCall parts', async () => {
    const events = await stream('/v1beta/models/m:streamGenerateContent?alt=sse', { contents: [] });
    const parts = [{ text: 'let me' }, { functionCall: { name: 'Bash', args: call.input } }];
    expect(events).toMatchObject([{ candidates: [{ content: { role: 'model', parts } }] }]);
  });
});

describe('an answer in one piece', () => {
  it.each([
    ['anthropic', { stop_reason: 'tool_use', content: [{ text: 'let me' }, { name: 'Bash', input: call.input }] }],
    ['openai-responses', { status: 'completed', output: [{ role: 'assistant' }, { name: 'Bash', arguments: json }] }],
    ['openai-chat', { choices: [{ message: { content: 'let me', tool_calls: [{ function: { name: 'Bash' } }] } }] }],
    ['google', { candidates: [{ content: { parts: [{}, { functionCall: { name: 'Bash' } }] } }] }],
  ] as const)('of %s says and calls the same', async (api, expected) => {
    const stub = await startStubForTest();
    stub.script(() => ({ text: 'let me', toolCalls: [call] }));
    const first = await readAnswer(await post(stub, paths[api], { model: 'm', messages: [] }));
    const second = await readAnswer(await post(stub, paths[api], { model: 'm', messages: [] }));
    expect(first).toMatchObject(expected);
    expect(second.id ?? second.responseId).not.toBe(first.id ?? first.responseId);
  });
});

describe('a call of a Codex tool', () => {
  const functions = { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] };
  it.each([
    ['offered in a namespace', 'exec', { type: 'custom_tool_call', namespace: 'functions', name: 'exec', input: 'js' }],
    ['of an MCP server', 'mcp__att__read', { type: 'function_call', namespace: 'mcp__att', name: 'read' }],
    ['offered plainly', 'view_image', { type: 'function_call', name: 'view_image', arguments: '"js"' }],
  ])('%s says so', async (_case, name, expected) => {
    const stub = await startStubForTest();
    stub.script(() => ({ toolCalls: [{ name, input: 'js' }] }));
    const response = await post(stub, paths['openai-responses'], { model: 'm', input: 'x', tools: [functions] });
    expect(await response.json()).toMatchObject({ output: [expected] });
  });

  it.each([
    [paths.anthropic, { messages: [] }],
    [paths['openai-responses'], { input: 'x' }],
    [paths['openai-chat'], { messages: [] }],
    ['/v1beta/models/m:streamGenerateContent?alt=sse', { contents: [] }],
  ])('of %s breaks off once the model has begun to speak', async (path, body) => {
    const stub = await startStubForTest();
    stub.script(() => ({ breaksAfter: 'I beg' }));
    const response = await post(stub, path, { model: 'm', stream: true, ...body });
    expect(response.status).toBe(200);
    let said = '';
    const read = async () => {
      for await (const chunk of response.body ?? []) said += Buffer.from(chunk).toString();
    };
    await expect(read()).rejects.toThrow();
    expect(said).toContain('I beg');
  });
});
