import { dataUrlOf, makePng, sha256Of } from '../../__fixtures__/wire-media.ts';
import { digestText } from '../../content/digest-text.ts';
import type { ModelApi, Replacement } from '../../relay-types.ts';

// Requests that hold what was refused in all places where that may be, and where it must stay.

export const bad = makePng(40, 30, 60);
export const good = makePng(30, 40, 61);
export const pdf = Buffer.from('%PDF-1.7 of a few bytes');
export const words = 'A text "file"\nthat is refused.';
export const text = '[attachment id=att_1 was refused by the model: file_refused] "\\ é😀';
export const replacements = new Map<string, Replacement>(
  [bad, pdf, Buffer.alloc(60, 0xff)].map((bytes) => [sha256Of(bytes), { text }]),
);
replacements.set(digestText(words).sha256, { text: 'words' });

export const image = (bytes: Buffer, given: object = {}) => {
  return {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: bytes.toString('base64') },
    ...given,
  };
};
export const cached = { cache_control: { type: 'ephemeral', ttl: '1h' } };
export const anthropic = {
  model: 'm',
  system: [{ type: 'text', text: words }],
  messages: [
    { role: 'user', content: words },
    {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'c', name: 'Read', input: { image: image(bad) } }, image(bad)],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c',
          content: [{ type: 'text', text: 'ok' }, image(bad, cached), image(good)],
        },
        image(bad),
        { ...cached, ...image(bad) },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: pdf.toString('base64') },
          title: 'a',
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: words } },
        { type: 'text', text: words, cache_control: null },
        { type: 'text', text: 'and now?' },
      ],
    },
    { role: 'user', content: [image(pdf)] },
  ],
};
export const input = (bytes: Buffer) => ({ type: 'input_image', image_url: dataUrlOf(bytes), detail: 'high' });
const responses = {
  model: 'm',
  instructions: words,
  input: [
    { role: 'developer', content: [input(bad)] },
    {
      role: 'user',
      content: [{ type: 'input_text', text: words }, input(bad), input(good), { ...input(bad), ...cached }],
    },
    { type: 'function_call', call_id: 'c', name: 'read', arguments: dataUrlOf(bad) },
    { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: words }, input(bad)] },
    { type: 'computer_call_output', call_id: 'd', output: { type: 'computer_screenshot', image_url: dataUrlOf(bad) } },
    {
      role: 'user',
      content: [{ type: 'input_file', filename: 'd.pdf', file_data: dataUrlOf(pdf, 'application/pdf') }],
    },
    { role: 'assistant', content: [{ type: 'output_text', text: words }] },
    { role: 'user', content: words },
  ],
};
export const url = (bytes: Buffer) => ({ type: 'image_url', image_url: { url: dataUrlOf(bytes), detail: 'auto' } });
const chat = {
  model: 'm',
  messages: [
    { role: 'system', content: words },
    { role: 'user', content: [{ type: 'text', text: words }, url(bad), url(good)] },
    { role: 'assistant', content: [url(bad)] },
    { role: 'tool', tool_call_id: 'c', content: [url(bad)] },
    {
      role: 'user',
      content: [{ type: 'file', file: { filename: 'd.pdf', file_data: dataUrlOf(pdf, 'application/pdf') } }],
    },
  ],
};
export const inline = (bytes: Buffer) => ({ inlineData: { mimeType: 'image/png', data: bytes.toString('base64') } });
const google = {
  systemInstruction: { parts: [inline(bad)] },
  contents: [
    { role: 'user', parts: [{ text: words }, inline(bad), inline(good)] },
    { role: 'model', parts: [inline(bad)] },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'read', response: { output: 'ok' }, parts: [inline(good), inline(bad)] } },
        inline(bad),
      ],
    },
    { parts: [inline(pdf)] },
  ],
};
export const bodies: Readonly<Record<ModelApi, object>> = {
  anthropic,
  'openai-responses': responses,
  'openai-chat': chat,
  google,
};
export const apis = Object.keys(bodies) as ModelApi[];

/** Spelled as no program does, and as every reader takes it. */
export const spellings: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => JSON.stringify(JSON.parse(json), undefined, '\t').replaceAll('\n', '\r\n'),
  (json) => json.replaceAll('"image', '"\\u0069mage').replaceAll('QgAA', '\\u0051\\u0067AA').replaceAll('/', '\\/'),
  (json) => json.replaceAll('"type"', '\n"typ\\u0065"').replaceAll('cache_control', 'cache\\u005fcontrol'),
];
