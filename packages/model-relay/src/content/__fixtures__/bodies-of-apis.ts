import { dataUrlOf, makePng } from '../../__fixtures__/wire-media.ts';
import type { ModelApi } from '../../relay-types.ts';

// One body of each API, with what a conversation may hold.

export const png = makePng(40, 30, 1_000);
export const pdf = Buffer.from('%PDF-1.7 of a few bytes');
export const wav = Buffer.from('RIFF….WAVE');
export const words = 'A "quoted"\n\\path\\, \u0001, é and 😀.';
export const file = `File "a \\"b\\".txt" (text/plain):\n${words}`;
export const context = `[@a](attachment:att_1/a)\n<context ref="attachment:att_1/a.txt">\n${words}\n</context>`;

const anthropic = {
  model: 'm',
  system: [{ type: 'text', text: 'be kind' }],
  messages: [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'Read', input: { path: ['a'], n: -1.5e3 } }] },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'c1',
          content: [
            { type: 'text', text: file },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: png.toString('base64') } },
          ],
        },
        { cache_control: { type: 'ephemeral' }, type: 'text', text: context },
        { source: { data: pdf.toString('base64'), media_type: 'application/pdf', type: 'base64' }, type: 'document' },
        { type: 'document', title: 'a', source: { data: words, media_type: 'text/plain', type: 'text' } },
        { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      ],
    },
  ],
  tools: [{ name: 'Read' }],
};
const responses = {
  model: 'm',
  input: [
    { type: 'additional_tools', role: 'developer', tools: [{ type: 'custom', name: 'exec' }] },
    {
      role: 'user',
      content: [
        { type: 'input_text', text: context },
        { type: 'input_image', image_url: dataUrlOf(png), detail: 'high' },
        { type: 'input_file', filename: 'd.pdf', file_data: dataUrlOf(pdf, 'application/pdf') },
        { type: 'input_audio', audio_url: dataUrlOf(wav, 'audio/wav') },
      ],
    },
    { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"a":"\\"b\\""}' },
    {
      type: 'function_call_output',
      call_id: 'c1',
      output: [
        { type: 'input_text', text: file },
        { type: 'input_image', image_url: dataUrlOf(png) },
      ],
    },
    { type: 'function_call_output', call_id: 'c2', output: 'done' },
  ],
};
const chat = {
  model: 'm',
  messages: [
    { role: 'system', content: 'be kind' },
    {
      role: 'user',
      content: [
        { type: 'text', text: file },
        { type: 'image_url', image_url: { url: dataUrlOf(png), detail: 'auto' } },
        { type: 'input_audio', input_audio: { data: wav.toString('base64'), format: 'wav' } },
        { type: 'file', file: { filename: 'd.pdf', file_data: dataUrlOf(pdf, 'application/pdf') } },
      ],
    },
    { role: 'assistant', content: null, tool_calls: [{ id: 'c1', function: { name: 'read', arguments: '{}' } }] },
    { role: 'tool', tool_call_id: 'c1', content: context },
  ],
};
const google = {
  contents: [
    {
      role: 'user',
      parts: [{ text: file }, { inlineData: { mimeType: 'image/png', data: png.toString('base64') } }, { text: words }],
    },
    { role: 'model', parts: [{ functionCall: { name: 'read', args: {} } }] },
    {
      role: 'user',
      parts: [
        {
          functionResponse: {
            name: 'read',
            response: { output: 'ok' },
            parts: [{ inline_data: { data: pdf.toString('base64'), mime_type: 'application/pdf' } }],
          },
        },
        { inlineData: { mimeType: 'image/png', data: png.toString('base64') } },
      ],
    },
  ],
  tools: [{ functionDeclarations: [{ name: 'read' }] }],
};
export const bodies: Record<ModelApi, object> = {
  anthropic,
  'openai-responses': responses,
  'openai-chat': chat,
  google,
};

/** The same with a small picture, spelled with escapes that `JSON.stringify` does not make. */
export function spellOddly(api: ModelApi): string {
  const small = makePng(4, 3, 33);
  return JSON.stringify(bodies[api], (_, value) =>
    value === png.toString('base64') ? small.toString('base64') : value,
  )
    .replaceAll(dataUrlOf(png), dataUrlOf(small))
    .replaceAll('é', '\\u00e9')
    .replaceAll('😀', '\\ud83d\\ude00')
    .replaceAll('image/png', 'image\\/png');
}
