import type { ModelApi } from '../relay-types.ts';

/** The objects between the top of a body and a file or text in it. */
export type Level = 'item' | 'part' | 'source' | 'result';

/** The purpose of a key's value. A list may take the place of one of its elements. */
export type Purpose =
  | 'items'
  | 'parts'
  | 'inner-parts'
  | 'source'
  /** An object with a URL, or the URL itself. */
  | 'link'
  | 'result'
  | 'tools'
  | 'type'
  | 'role'
  | 'media-type'
  | 'format'
  | 'text'
  | 'base64'
  | 'url'
  /** A data URL or base64. */
  | 'file'
  /** Base64 or text, by the type next to it. */
  | 'data'
  | 'reference'
  | 'cache-control';

type Shape = {
  /** The key at the top. */
  readonly top: string;
  readonly levels: Readonly<Record<Level, Readonly<Record<string, Purpose>>>>;
  /** The types that a part may have, by the key that carries its text or file; undefined if parts have no types. */
  readonly types: Readonly<Record<string, readonly string[]>> | undefined;
};

export const shapes: Readonly<Record<ModelApi, Shape>> = {
  anthropic: {
    top: 'messages',
    levels: {
      item: { role: 'role', content: 'parts' },
      part: { type: 'type', text: 'text', source: 'source', content: 'inner-parts', cache_control: 'cache-control' },
      source: {
        type: 'type',
        media_type: 'media-type',
        data: 'data',
        url: 'reference',
        file_id: 'reference',
        content: 'inner-parts',
      },
      result: {},
    },
    types: { text: ['text'], source: ['image', 'document'] },
  },
  'openai-responses': {
    top: 'input',
    levels: {
      item: { type: 'type', role: 'role', content: 'parts', output: 'parts', tools: 'tools' },
      part: {
        ...{ type: 'type', text: 'text', image_url: 'url', file_data: 'file', audio_url: 'url', input_audio: 'source' },
        ...{ file_id: 'reference', file_url: 'reference', cache_control: 'cache-control' },
      },
      source: { data: 'base64', format: 'format' },
      result: {},
    },
    types: {
      ...{ text: ['input_text', 'output_text'], image_url: ['input_image', 'computer_screenshot'] },
      ...{ file_data: ['input_file'], audio_url: ['input_audio'], input_audio: ['input_audio'] },
    },
  },
  'openai-chat': {
    top: 'messages',
    levels: {
      item: { role: 'role', content: 'parts' },
      part: {
        ...{ type: 'type', text: 'text', image_url: 'link', input_audio: 'source', file: 'source' },
        cache_control: 'cache-control',
      },
      source: { url: 'url', data: 'base64', format: 'format', file_data: 'file', file_id: 'reference' },
      result: {},
    },
    types: { text: ['text'], image_url: ['image_url'], input_audio: ['input_audio'], file: ['file'] },
  },
  google: {
    top: 'contents',
    levels: {
      item: { role: 'role', parts: 'parts' },
      part: {
        ...{ text: 'text', inlineData: 'source', inline_data: 'source', fileData: 'reference', file_data: 'reference' },
        ...{ functionResponse: 'result', function_response: 'result' },
      },
      source: { mimeType: 'media-type', mime_type: 'media-type', data: 'base64' },
      result: { parts: 'inner-parts' },
    },
    types: undefined,
  },
};

/** The keys of each level in capitals. */
export const foldedKeys = Object.fromEntries(
  Object.entries(shapes).map(([api, { levels }]) => [api, foldLevels(levels)]),
) as Record<keyof typeof shapes, ReturnType<typeof foldLevels>>;

function foldLevels(levels: (typeof shapes)['google']['levels']) {
  const fold = (keys: object) => new Set(Object.keys(keys).map((key) => key.toUpperCase()));
  return { item: fold(levels.item), part: fold(levels.part), source: fold(levels.source), result: fold(levels.result) };
}
