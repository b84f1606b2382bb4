import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { paths, post, startStubForTest } from './ask-stub.ts';

const bytesOf = (name: string) => Buffer.from(`bytes of ${name}`);
const base64 = (name: string) => bytesOf(name).toString('base64');
const dataUrl = (mimeType: string, name: string) => `data:${mimeType};base64,${base64(name)}`;
const seen = (type: string, mimeType: string, name: string, where = 'message') => {
  const bytes = bytesOf(name);
  return { type, mimeType, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex'), where };
};

async function see(path: string, body: unknown) {
  const stub = await startStubForTest();
  const response = await post(stub, path, body);
  const [request] = stub.requests;
  if (!request) throw new Error('the stub saw nothing');
  return { request, answer: await response.text() };
}

describe('attachments of Anthropic', () => {
  const block = (type: string, media_type: string, name: string) => ({
    type,
    source: { type: 'base64', media_type, data: base64(name) },
  });
  const messages = [
    { role: 'user', content: [{ type: 'text', text: 'look' }, block('image', 'image/png', 'old')] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: {} }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [{ type: 'text', text: 'page' }, block('image', 'image/jpeg', 'page')],
        },
        block('document', 'application/pdf', 'doc'),
        { type: 'text', text: 'and now' },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'the note' } },
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
        { type: 'text', text: '<system-reminder>be kind</system-reminder>' },
      ],
    },
  ];

  it('are decoded, with where they stood, the new ones apart', async () => {
    const { request, answer } = await see(paths.anthropic, { model: 'm', tools: [{ name: 'Read' }], messages });
    const added = [
      seen('image', 'image/jpeg', 'page', 'tool-result'),
      seen('document', 'application/pdf', 'doc'),
      { type: 'image', mimeType: '', sizeBytes: 0, sha256: '', where: 'message' },
    ];
    expect(request.attachments).toEqual([seen('image', 'image/png', 'old'), ...added]);
    expect(request.newAttachments).toEqual(added);
    expect(answer).toContain('I see 3 attachments');
  });

  it('stand apart from texts, documents of text and results of tools', async () => {
    const { request } = await see(paths.anthropic, { model: 'm', tools: [{ name: 'Read' }], messages });
    expect(request.texts).toEqual(['look', 'and now', '<system-reminder>be kind</system-reminder>', 'the note']);
    expect(request).toMatchObject({ api: 'anthropic', model: 'm', lastUserText: 'and now', toolNames: ['Read'] });
    expect(request.toolResults).toEqual([{ callId: 'c1', name: 'Read', text: 'page' }]);
  });
});

describe('attachments of OpenAI Responses', () => {
  const input = [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'look' },
        { type: 'input_image', image_url: dataUrl('image/png', 'a') },
        { type: 'input_file', filename: 'd.pdf', file_data: dataUrl('application/pdf', 'd') },
        { type: 'input_audio', audio_url: dataUrl('audio/wav', 'w') },
      ],
    },
    { type: 'function_call', call_id: 'c1', namespace: 'mcp__att', name: 'read', arguments: '{}' },
    {
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        { type: 'input_text', text: 'here' },
        { type: 'input_image', image_url: dataUrl('image/png', 'r') },
      ],
    },
  ];

  it('are decoded from data URLs, in messages and results of tools', async () => {
    const { request } = await see(paths['openai-responses'], { model: 'm', input });
    const added = [seen('input_image', 'image/png', 'r', 'tool-result')];
    expect(request.attachments).toEqual([
      seen('input_image', 'image/png', 'a'),
      seen('input_file', 'application/pdf', 'd'),
      seen('input_audio', 'audio/wav', 'w'),
      ...added,
    ]);
    expect(request.newAttachments).toEqual(added);
    expect(request.toolResults).toEqual([{ callId: 'c1', name: 'mcp__att__read', text: 'here' }]);
    expect(request.lastUserText).toBe('look');
  });

  it('come with tools in namespaces, in the request or in a message', async () => {
    const server = { type: 'namespace', name: 'mcp__att', tools: [{ type: 'function', name: 'read' }] };
    const own = { type: 'namespace', name: 'functions', tools: [{ type: 'custom', name: 'exec' }] };
    const message = { type: 'additional_tools', role: 'developer', tools: [own] };
    const body = { model: 'm', tools: [server, { type: 'web_search' }], input: [message, ...input] };
    const { request } = await see(paths['openai-responses'], body);
    expect(request.toolNames).toEqual(['mcp__att__read', 'web_search', 'exec']);
  });
});

describe('attachments of OpenAI Chat Completions', () => {
  it('are decoded from data URLs and plain base64', async () => {
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: dataUrl('image/png', 'a') } },
      { type: 'file', file: { filename: 'd.pdf', file_data: dataUrl('application/pdf', 'd') } },
      { type: 'input_audio', input_audio: { format: 'wav', data: base64('w') } },
    ];
    const { request } = await see(paths['openai-chat'], { model: 'm', messages: [{ role: 'user', content }] });
    expect(request.newAttachments).toEqual([
      seen('image_url', 'image/png', 'a'),
      seen('file', 'application/pdf', 'd'),
      seen('input_audio', 'audio/wav', 'w'),
    ]);
  });

  it('count as a tool result where OpenCode passes them on in a message of its own', async () => {
    const messages = [
      { role: 'user', content: 'look' },
      { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'read' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'read it' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached media from tool result:' },
          { type: 'image_url', image_url: { url: dataUrl('image/png', 'a') } },
        ],
      },
    ];
    const { request } = await see(paths['openai-chat'], { model: 'm', messages });
    expect(request.newAttachments).toEqual([seen('image_url', 'image/png', 'a', 'tool-result')]);
    expect(request.toolResults).toEqual([{ callId: 'c1', name: 'read', text: 'read it' }]);
    expect(request.lastUserText).toBe('look');
  });
});

describe('attachments of Gemini', () => {
  const inline = (mimeType: string, name: string) => ({ inlineData: { mimeType, data: base64(name) } });

  it('are decoded in messages and results of tools, and the words of the user kept apart from files', async () => {
    const files = ['\n--- Content from referenced files ---', 'content of a text file', '\n--- End of content ---'];
    const contents = [
      {
        role: 'user',
        parts: [
          { text: 'look @n.txt' },
          { text: files[0] },
          inline('audio/wav', 'w'),
          ...files.slice(1).map((text) => ({ text })),
        ],
      },
      { role: 'model', parts: [{ functionCall: { name: 'read_file', args: {} } }] },
      {
        role: 'user',
        parts: [
          {
            functionResponse: {
              id: 'c1',
              name: 'read_file',
              response: { output: 'ok' },
              parts: [inline('image/png', 'r')],
            },
          },
        ],
      },
    ];
    const tools = [{ functionDeclarations: [{ name: 'read_file' }] }];
    const { request } = await see('/v1beta/models/g-1:generateContent', { contents, tools });
    expect(request).toMatchObject({
      api: 'google',
      model: 'g-1',
      toolNames: ['read_file'],
      lastUserText: 'look @n.txt',
    });
    expect(request.attachments).toEqual([
      seen('inlineData', 'audio/wav', 'w'),
      seen('inlineData', 'image/png', 'r', 'tool-result'),
    ]);
    expect(request.toolResults).toEqual([{ callId: 'c1', name: 'read_file', text: '{"output":"ok"}' }]);
    expect(request.texts).toContain('content of a text file');
  });
});
