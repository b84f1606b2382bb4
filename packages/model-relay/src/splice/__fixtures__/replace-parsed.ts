import { sha256Of } from '../../__fixtures__/wire-media.ts';
import { digestText } from '../../content/digest-text.ts';
import type { ModelApi, Replacements } from '../../relay-types.ts';

type Fields = Record<string, unknown>;

/** Replaces blocks in a parsed body: the expected result, computed in another way than the relay does. */
export function replaceParsed(api: ModelApi, body: Fields, texts: Replacements): Fields {
  const key = { anthropic: 'messages', 'openai-responses': 'input', 'openai-chat': 'messages', google: 'contents' }[
    api
  ];
  const items = (body[key] as Fields[]).map((item) => (isTouched(api, item) ? replaceItem(api, item, texts) : item));
  return { ...body, [key]: items };
}

function isTouched(api: ModelApi, { role, type }: Fields): boolean {
  if (api === 'google') return role !== 'model';
  return role === 'user' || role === 'tool' || String(type).endsWith('_output');
}

function replaceItem(api: ModelApi, item: Fields, texts: Replacements): Fields {
  const entries = Object.entries(item).map(([key, value]) => {
    if (!['content', 'output', 'parts'].includes(key)) return [key, value];
    const isUser = item.role !== 'tool';
    if (typeof value === 'string') return [key, (isUser && texts.get(digestText(value).sha256)?.text) || value];
    if (!Array.isArray(value)) return [key, value];
    return [key, value.map((part: Fields) => replacePart(api, part, { texts, isUser, isInner: false }))];
  });
  return Object.fromEntries(entries);
}

type Place = { texts: Replacements; isUser: boolean; isInner: boolean };

function replacePart(api: ModelApi, part: Fields, place: Place): Fields {
  const inner = { ...place, isInner: true, isUser: false };
  if (part.type === 'tool_result')
    return { ...part, content: (part.content as Fields[]).map((each) => replacePart(api, each, inner)) };
  const response = part.functionResponse as Fields | undefined;
  if (response !== undefined) {
    const parts = (response.parts as Fields[]).map((each) => replacePart(api, each, inner));
    return { functionResponse: { ...response, parts } };
  }
  const text = place.texts.get(digestPart(part, place.isUser))?.text;
  return text === undefined ? part : writeText(api, part, { text, isInner: place.isInner });
}

function writeText(api: ModelApi, part: Fields, { text, isInner }: { text: string; isInner: boolean }): Fields {
  const cache = 'cache_control' in part ? { cache_control: part.cache_control } : {};
  if (api === 'openai-responses') return { type: 'input_text', text, ...cache };
  if (api !== 'google') return { type: 'text', text, ...cache };
  if (!isInner) return { text };
  return { inlineData: { mimeType: 'text/plain', data: Buffer.from(text).toString('base64') } };
}

/** The digest of the file or text in a part. */
function digestPart(part: Fields, isUser: boolean): string {
  const { source, image_url: image, file, file_data: data, inlineData, text } = part as Record<string, Fields | string>;
  if (typeof text === 'string') return isUser ? digestText(text).sha256 : '';
  const own = (source as Fields | undefined)?.data ?? (inlineData as Fields | undefined)?.data ?? data;
  const spelled = own ?? (typeof image === 'string' ? image : image?.url) ?? (file as Fields | undefined)?.file_data;
  if ((source as Fields | undefined)?.type === 'text') return digestText(String(spelled)).sha256;
  return sha256Of(Buffer.from(String(spelled).replace(/^data:.*?,/, ''), 'base64'));
}
