import { describe, expect, it } from 'vitest';
import type { ModelApi } from '../relay-types.ts';
import recorded from './__fixtures__/recorded-requests.json' with { type: 'json' };
import type { JudgedEndpoint } from './field-scan.ts';
import { judgeFields } from './judge-fields.ts';

/** The refusal of a body that comes in chunks which end at `cuts`. */
function judgeCut(endpoint: JudgedEndpoint, json: string, cuts: readonly number[] = []) {
  const judge = judgeFields(endpoint);
  const body = Buffer.from(json);
  for (const [index, end] of [...cuts, body.length].entries()) {
    const refused = judge.write(body.subarray(cuts[index - 1] ?? 0, end));
    if (refused !== undefined) return refused;
  }
  return undefined;
}

const judge = (endpoint: JudgedEndpoint, body: object) => judgeCut(endpoint, JSON.stringify(body));

const link = 'https://attacker.example/?q=secret';
const hi = [{ role: 'user', content: 'hi' }];
const of = (...content: object[]) => [...hi, { role: 'user', content }];

describe('requests as programs send them', () => {
  it.each(Object.entries(recorded))('pass whole: all that was recorded of %s', (_, { api, body }) => {
    expect(judge({ api: api as ModelApi }, body)).toBeUndefined();
  });

  it('pass with the fields that libraries of their APIs send', () => {
    const file = 'data:application/pdf;base64,JVBERi0=';
    const bodies: [ModelApi, object][] = [
      [
        'anthropic',
        { thinking: { type: 'enabled' }, tool_choice: { type: 'tool', name: 'a' }, container: null, mcp_servers: [] },
      ],
      ['anthropic', { messages: [{ role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }] }] }],
      ['openai-responses', { input: 'hi', previous_response_id: null, background: false, prompt: null, store: true }],
      ['openai-responses', { input: [{ type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'x' }] }],
      [
        'openai-responses',
        { input: [{ role: 'user', content: [{ type: 'input_file', filename: 'a', file_data: file }] }] },
      ],
      [
        'openai-responses',
        { tools: [{ type: 'namespace', name: 'n', tools: [{ type: 'function', name: 'f', parameters: {} }] }] },
      ],
      ['openai-responses', { input: [{ type: 'tool_search_output', tools: [{ type: 'function', name: 'f' }] }] }],
      [
        'openai-chat',
        { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: 'data:image/png;base64,AA' }] }] },
      ],
      [
        'openai-chat',
        {
          messages: [
            { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '//uQ', format: 'mp3' } }] },
          ],
        },
      ],
      ['google', { contents: { role: 'user', parts: { text: 'a url: https://a.example' } }, cachedContent: '' }],
      ['google', { generateContentRequest: { model: 'models/m', contents: [{ parts: [{ text: 'x' }] }] } }],
      ['google', { generateContentRequest: { model: 'm', generation_config: { top_k: 1, thinkingConfig: {} } } }],
      [
        'google',
        { generationConfig: { responseMimeType: 'a', responseJsonSchema: { properties: { routingConfig: 1 } } } },
      ],
      [
        'openai-responses',
        {
          input: [
            { role: 'user', content: '' },
            { id: 'msg_1', role: 'user', content: 'a' },
          ],
        },
      ],
      ['openai-responses', { input: [{ content: [{ text: 'a' }], role: 'assistant', type: null, id: 'msg_1' }] }],
      ['openai-responses', { input: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [] }] }],
      ['openai-responses', { input: [{ type: 'reasoning', id: null, summary: [], encrypted_content: null }] }],
      [
        'openai-responses',
        { input: [{ type: 'reasoning', id: 'rs_1', content: [{ type: 'reasoning_text', text: 'a' }] }] },
      ],
      ['openai-responses', { input: [{ type: 'function_call_output', id: 'fc_1', call_id: 'c', output: '' }] }],
      ['openai-chat', { prediction: { type: 'content', content: [{ type: 'text', text: 'a' }] } }],
      ['openai-chat', { prediction: { type: 'content', content: link } }],
      ['openai-chat', { messages: of({ type: 'thinking', thinking: [{ type: 'text', text: 'a' }] }) }],
      ['openai-chat', { messages: of({ type: 'text', text: 'a', id: 'x', index: 0, images: [], annotations: null }) }],
      [
        'openai-chat',
        {
          messages: [
            { role: 'assistant', content: 'a', id: 'x', index: 0, images: [], annotations: null, audio: null },
          ],
        },
      ],
      [
        'openai-chat',
        {
          messages: [
            { role: 'assistant', annotations: [] },
            { role: 'assistant', annotations: [{ type: 'url_citation', url_citation: { url: link, title: 'a' } }] },
          ],
        },
      ],
      ['anthropic', { messages: of({ source: 'https://a', type: 'search_result', title: 'a', content: [] }) }],
    ];
    for (const [api, body] of bodies) expect(judge({ api, model: 'm' }, body), JSON.stringify(body)).toBeUndefined();
  });

  it('pass with keys on no list that say nothing', () => {
    const bodies: [ModelApi, string][] = [
      ['anthropic', '{"new":null,"tools":[{"name":"a","max_uses":null}],"messages":[{"content":[{"new": null}]}]}'],
      ['openai-chat', '{"models":null,"messages":[{"new":null}]}'],
      ['openai-responses', '{"tools":[{"new":null,"type":"function"}],"input":[{"container_id":null}]}'],
      ['google', '{"model":null,"tools":[{"googleSearch":null,"functionDeclarations":[]}]}'],
    ];
    for (const [api, json] of bodies)
      for (let cut = 1; cut < json.length; cut += 1) expect(judgeCut({ api }, json, [cut]), json).toBeUndefined();
  });
});

const FIELD = 'relay_field_refused';
const TOOL = 'relay_server_tool_refused';

/** Bodies that an agent without a network could send, and the name of the place that is refused. */
const ways: [ModelApi, object, string, string][] = [
  [
    'anthropic',
    { messages: of({ type: 'image', source: { type: 'url', url: link } }) },
    FIELD,
    'messages[1].content[0].source.type',
  ],
  [
    'anthropic',
    { messages: of({ type: 'document', source: { url: link, type: 'base64' } }) },
    FIELD,
    'messages[1].content[0].source.url',
  ],
  [
    'anthropic',
    { messages: of({ type: 'document', source: { type: 'base64', file_id: 'file_1' } }) },
    FIELD,
    'messages[1].content[0].source.file_id',
  ],
  [
    'anthropic',
    { messages: of({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: { url: link } }] }) },
    FIELD,
    'messages[1].content[0].content[0].source.url',
  ],
  [
    'anthropic',
    {
      messages: of({
        type: 'document',
        source: { type: 'content', content: [{ type: 'image', source: { url: link } }] },
      }),
    },
    FIELD,
    'messages[1].content[0].source.content[0].source.url',
  ],
  [
    'anthropic',
    { messages: of({ type: 'container_upload', file_id: 'file_1' }) },
    FIELD,
    'messages[1].content[0].type',
  ],
  [
    'anthropic',
    { messages: of({ type: 'server_tool_use', name: 'web_fetch', input: {} }) },
    TOOL,
    'messages[1].content[0].type',
  ],
  ['anthropic', { tools: [{ name: 'a' }, { type: 'web_search_20250305' }] }, TOOL, 'tools[1].type'],
  ['anthropic', { tools: [{ max_uses: 5, name: 'a' }] }, FIELD, 'tools[0].max_uses'],
  ['anthropic', { tools: { type: 'code_execution_1' } }, TOOL, 'tools.type'],
  ['anthropic', { tools: ['web_search'] }, TOOL, 'tools[0]'],
  ['anthropic', { mcp_servers: [{ type: 'url', url: link }] }, TOOL, 'mcp_servers'],
  ['anthropic', { mcp_servers: { url: link } }, TOOL, 'mcp_servers'],
  ['anthropic', { container: 'container_1' }, TOOL, 'container'],
  ['anthropic', { fallbacks: [{ model: 'other' }] }, FIELD, 'fallbacks'],
  ['anthropic', { messages: hi, api_base: link }, FIELD, 'api_base'],
  ['anthropic', { system: of({ type: 'image', source: { url: link } }) }, FIELD, 'system[0].role'],
  ['openai-responses', { input: of({ type: 'input_image', image_url: link }) }, FIELD, 'input[1].content[0].image_url'],
  ['openai-responses', { input: of({ type: 'input_file', file_url: link }) }, FIELD, 'input[1].content[0].file_url'],
  ['openai-responses', { input: of({ type: 'input_file', file_data: link }) }, FIELD, 'input[1].content[0].file_data'],
  ['openai-responses', { input: of({ type: 'input_file', file_id: 'file-1' }) }, FIELD, 'input[1].content[0].file_id'],
  ['openai-responses', { input: of({ type: 'input_audio', audio_url: link }) }, FIELD, 'input[1].content[0].audio_url'],
  [
    'openai-responses',
    { input: [{ type: 'function_call_output', output: [{ image_url: link }] }] },
    FIELD,
    'input[0].output[0].image_url',
  ],
  [
    'openai-responses',
    { input: [{ type: 'tool_search_output', tools: [{ type: 'mcp', server_url: link }] }] },
    TOOL,
    'input[0].tools[0].type',
  ],
  [
    'openai-responses',
    { input: [{ type: 'additional_tools', tools: [{ type: 'web_search' }] }] },
    TOOL,
    'input[0].tools[0].type',
  ],
  ['openai-responses', { input: [{ type: 'item_reference', id: 'msg_1' }] }, FIELD, 'input[0].type'],
  ['openai-responses', { input: [{ type: 'code_interpreter_call', container_id: 'c' }] }, TOOL, 'input[0].type'],
  [
    'openai-responses',
    { tools: [{ type: 'namespace', tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }] },
    TOOL,
    'tools[0].tools[0].type',
  ],
  ['openai-responses', { tool_choice: { type: 'mcp', server_label: 'l' } }, TOOL, 'tool_choice.type'],
  [
    'openai-responses',
    { tool_choice: { type: 'allowed_tools', tools: [{ type: 'image_generation' }] } },
    TOOL,
    'tool_choice.tools[0].type',
  ],
  ['openai-responses', { prompt: { id: 'pmpt_1' } }, TOOL, 'prompt'],
  ['openai-responses', { previous_response_id: 'resp_1' }, FIELD, 'previous_response_id'],
  ['openai-responses', { conversation: { id: 'conv_1' } }, FIELD, 'conversation'],
  ['openai-responses', { background: true }, FIELD, 'background'],
  [
    'openai-chat',
    { messages: of({ type: 'image_url', image_url: { url: link } }) },
    FIELD,
    'messages[1].content[0].image_url.url',
  ],
  ['openai-chat', { messages: of({ type: 'image_url', image_url: link }) }, FIELD, 'messages[1].content[0].image_url'],
  [
    'openai-chat',
    { messages: of({ type: 'file', file: { file_data: link } }) },
    FIELD,
    'messages[1].content[0].file.file_data',
  ],
  [
    'openai-chat',
    { messages: of({ type: 'file', file: { file_id: 'file-1' } }) },
    FIELD,
    'messages[1].content[0].file.file_id',
  ],
  [
    'openai-chat',
    { messages: of({ type: 'input_audio', input_audio: { data: link } }) },
    FIELD,
    'messages[1].content[0].input_audio.data',
  ],
  [
    'openai-chat',
    { messages: of({ type: 'video_url', video_url: { url: link } }) },
    FIELD,
    'messages[1].content[0].type',
  ],
  ['openai-chat', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }, FIELD, 'messages[0].audio'],
  ['openai-chat', { web_search_options: {} }, TOOL, 'web_search_options'],
  ...['models', 'route', 'provider', 'plugins', 'transforms', 'providerOptions', 'base_url', 'custom_llm_provider'].map(
    (key): [ModelApi, object, string, string] => ['openai-chat', { messages: hi, [key]: ['x'] }, FIELD, key],
  ),
  [
    'google',
    { contents: [{ parts: [{ fileData: { fileUri: link } }] }] },
    FIELD,
    'contents[0].parts[0].fileData.fileUri',
  ],
  [
    'google',
    { contents: [{ parts: [{ file_data: { file_uri: 'gs://a/b' } }] }] },
    FIELD,
    'contents[0].parts[0].file_data.file_uri',
  ],
  [
    'google',
    { contents: [{ parts: [{ functionResponse: { parts: [{ fileData: { fileUri: 'files/1' } }] } }] }] },
    FIELD,
    'contents[0].parts[0].functionResponse.parts[0].fileData.fileUri',
  ],
  [
    'google',
    { systemInstruction: { parts: [{ fileData: { fileUri: link } }] } },
    FIELD,
    'systemInstruction.parts[0].fileData.fileUri',
  ],
  [
    'google',
    { generateContentRequest: { tools: [{ urlContext: {} }] } },
    TOOL,
    'generateContentRequest.tools[0].urlContext',
  ],
  ['google', { tools: [{ functionDeclarations: [], googleSearch: {} }] }, TOOL, 'tools[0].googleSearch'],
  [
    'google',
    { contents: [{ parts: [{ executableCode: { code: 'x' } }] }] },
    TOOL,
    'contents[0].parts[0].executableCode',
  ],
  ['google', { cachedContent: 'cachedContents/1' }, FIELD, 'cachedContent'],
  ['google', { model: 'other' }, FIELD, 'model'],
  ['google', { generateContentRequest: { model: 'models/other' } }, FIELD, 'generateContentRequest.model'],
  ['google', { generate_content_request: { model: ['m'] } }, FIELD, 'generate_content_request.model'],
  ...['routingConfig', 'routing_config', 'modelSelectionConfig'].flatMap(
    (key): [ModelApi, object, string, string][] => [
      ['google', { generationConfig: { topK: 1, [key]: { autoMode: {} } } }, FIELD, `generationConfig.${key}`],
      ['google', { generation_config: { [key]: 'x' } }, FIELD, `generation_config.${key}`],
    ],
  ),
  ...[
    { id: 'msg_foreign' },
    { type: null, id: 'msg_foreign' },
    { id: 'msg_foreign', role: 'user' },
    { id: 'msg_foreign', content: 'a' },
    { id: 'msg_foreign', role: 'user', content: null },
    { type: 'message', id: 'msg_foreign', role: 'assistant' },
    { type: 'reasoning', id: 'rs_foreign', summary: [] },
    { id: 'rs_foreign', summary: [{ type: 'summary_text', text: 'a' }], type: 'reasoning', encrypted_content: null },
    { type: 'reasoning', id: 'rs_foreign', content: [], encrypted_content: '' },
    { type: 'compaction', id: 'cmp_foreign' },
  ].map((item): [ModelApi, object, string, string] => ['openai-responses', { input: [item] }, FIELD, 'input[0].id']),
  ['openai-responses', { input: { id: 'msg_foreign' } }, FIELD, 'input.id'],
  [
    'openai-chat',
    { messages: [{ annotations: [{ type: 'file', file: { content: [{ type: 'image_url' }] } }] }] },
    FIELD,
    'messages[0].annotations[0].type',
  ],
  ['openai-chat', { messages: [{ annotations: [{ file: {} }] }] }, FIELD, 'messages[0].annotations[0].file'],
  ['openai-chat', { messages: [{ annotations: 'file-1' }] }, FIELD, 'messages[0].annotations'],
  ['openai-chat', { messages: [{ images: ['https://a'] }] }, FIELD, 'messages[0].images'],
  [
    'openai-chat',
    { prediction: { content: [{ image_url: { url: 'https://a' } }] } },
    FIELD,
    'prediction.content[0].image_url',
  ],
  [
    'openai-chat',
    { messages: of({ type: 'thinking', thinking: [{ type: 'image_url' }] }) },
    FIELD,
    'messages[1].content[0].thinking[0].type',
  ],
];

describe('a way out by the provider [BX-24]', () => {
  it.each(ways)('of %s is refused by its name: %j', (api, body, code, field) => {
    expect(judge({ api }, body)).toEqual({ code, field });
  });

  it('is refused wherever the body is cut', () => {
    for (const [api, body, code, field] of ways) {
      const json = JSON.stringify(body);
      for (let cut = 1; cut < Buffer.byteLength(json); cut += 1)
        expect(judgeCut({ api }, json, [cut]), `${json} ${cut}`).toEqual({ code, field });
    }
  });

  const image = (source: string) => `{"messages":[{"content":[{"type":"image","source":${source}}]}]}`;
  it.each([
    ['an escape in a key', image(String.raw`{"\u0075rl":"https://a"}`), 'messages[0].content[0].source.url'],
    ['an escape in a value', image(String.raw`{"type":"\u0075rl"}`), 'messages[0].content[0].source.type'],
    ['a key twice', image('{"type":"base64","type":"url"}'), 'messages[0].content[0].source.type'],
    ['other letters', image('{"URL":"https://a"}'), 'messages[0].content[0].source.URL'],
    ['a word that is a list', image('{"type":["url"]}'), 'messages[0].content[0].source.type'],
    [
      'lists in lists',
      '{"messages":[[{"content":[[{"source":{"url":"https://a"}}]]}]]}',
      'messages[0][0].content[0][0].source.url',
    ],
    ['a text in place of the source', image('"https://a"'), 'messages[0].content[0].source'],
    [
      'a text that says it is the source of a search',
      '{"messages":[{"content":[{"type":"search_result","source":"https://a","type":"image"}]}]}',
      'messages[0].content[0].source',
    ],
    ['a part in no list', '{"messages":{"content":{"source":{"url":"https://a"}}}}', 'messages.content.source.url'],
    [
      'spaces',
      '{ "messages" : [ { "content" : [ 1 , { "source" : { "url" : "https://a" } } ] } ] }',
      'messages[0].content[1].source.url',
    ],
    ['a key of odd signs', '{"a b\\n\\"}{":1}', 'a?b????'],
    ['a key of 10,000 letters', `{"${'k'.repeat(10_000)}":1}`, 'k'.repeat(64)],
  ])('is no other with %s', (_, json, field) => {
    expect(judgeCut({ api: 'anthropic' }, json)).toEqual({ code: FIELD, field });
    const cuts = Array.from({ length: Math.min(json.length, 200) - 1 }, (_, index) => index + 1);
    expect(judgeCut({ api: 'anthropic' }, json, cuts)?.code).toBe(FIELD);
  });

  it.each([' https://a', '//a/b', 'file:///etc/passwd', 'HTTPS://a', String.raw`\u0064ata:x`])(
    'is no picture’s URL but a data URL: %s',
    (value) => {
      const json = `{"input":[{"content":[{"image_url":"${value}"}]}]}`;
      expect(judgeCut({ api: 'openai-responses' }, json)?.field).toBe('input[0].content[0].image_url');
    },
  );
});

describe('content itself', () => {
  const judgeData = (value: string) =>
    judgeCut({ api: 'openai-chat' }, `{"messages":[{"content":[{"input_audio":{"data":"${value}"}}]}]}`);
  it.each([
    ...['https://a', ' https://a', `${' '.repeat(64)}https://a`, `${' '.repeat(3_000)}https://a`, 'HTTPS://a'],
    ...[
      String.raw`\u0020https://a`,
      String.raw`\n\u0000https:\/\/a`,
      String.raw`\u0068ttps://a`,
      '//a.example/b',
      'a.example',
    ],
    ...[
      String.raw`\u00a0https://a`,
      '\u00a0https://a',
      'gs://a',
      'file-1 %',
      'data :x',
      `${String.raw`\t`.repeat(999)}//a`,
    ],
  ])('is no URL: %s', (value) => {
    expect(judgeData(value)?.field).toBe('messages[0].content[0].input_audio.data');
  });

  it.each([
    ...['', '//uQxAAA', 'AA==', 'a-_b', 'data:audio/mp3;base64,AA', ' data:audio/mp3;base64,AA', 'A'.repeat(70_000)],
    ...[
      String.raw`\/9j\/4AA`,
      `${'A'.repeat(76)}\\r\\n`.repeat(9),
      `${'A'.repeat(255)}\\n`,
      `${'A'.repeat(251)}\\u002b`,
    ],
  ])('may be base64 or a data URL: %s', (value) => {
    expect(judgeData(value)).toBeUndefined();
    for (const size of [250, 257, 300])
      expect(
        judgeCut({ api: 'openai-chat' }, `{"messages":[{"content":[{"input_audio":{"data":"${value}"}}]}]}`, [size]),
      ).toBeUndefined();
  });
});

describe('the word of the operator', () => {
  it('opens URLs of files, and no ids of them', () => {
    const isUrl = ([, body]: (typeof ways)[number]) =>
      JSON.stringify(body).includes(link) && !/mcp|api_base/.test(JSON.stringify(body));
    const opened = ways.filter(isUrl).filter(([, body]) => !JSON.stringify(body).includes('video'));
    expect(opened.length).toBeGreaterThan(12);
    for (const [api, body] of opened.filter(([, each]) => !('system' in each)))
      expect(judge({ api, urlSources: 'allow' }, body), JSON.stringify(body)).toBeUndefined();
    const byId = { messages: of({ type: 'image', source: { type: 'file', file_id: 'f' } }) };
    expect(judge({ api: 'anthropic', urlSources: 'allow' }, byId)?.code).toBe(FIELD);
  });

  it('opens the tools that it lists, with all that belongs to them', () => {
    const tools = [{ max_uses: 5, allowed_domains: ['a'], type: 'web_search_20250305', name: 'web_search' }];
    const result = {
      type: 'web_search_tool_result',
      content: [{ type: 'web_search_result', url: link, encrypted_content: 'x' }],
    };
    const endpoint = { api: 'anthropic', serverTools: ['web_search'] } as const;
    expect(judge(endpoint, { tools, messages: of(result) })).toBeUndefined();
    expect(judge(endpoint, { tools: [{ type: 'code_execution_20250522' }] })?.code).toBe(TOOL);
    expect(judge({ api: 'google', serverTools: ['google_search'] }, { tools: [{ googleSearch: {} }] })).toBeUndefined();
    expect(judge({ api: 'openai-responses', serverTools: ['prompt'] }, { prompt: { id: 'p' } })).toBeUndefined();
    expect(judge({ api: 'anthropic', serverTools: ['container'] }, { container: 'c' })).toBeUndefined();
  });
});

it('content that says a field’s name, and values that may be anything, are not judged', () => {
  const text = '{"url":"https://a","file_id":"x"},"source":{"url":"https://a"}';
  const input = { source: { type: 'url', url: link }, file_id: 'x', tools: [{ type: 'web_search' }] };
  expect(
    judge({ api: 'anthropic' }, { messages: of({ type: 'text', text }, { type: 'tool_use', input }) }),
  ).toBeUndefined();
  const tools = [{ name: 'a', input_schema: { properties: input } }];
  expect(judge({ api: 'anthropic' }, { tools, metadata: input })).toBeUndefined();
});
