import type { RefusalApi } from './refusal-meaning.ts';

/** A place in a request that an API names. `isFile`: by a key that only a file has. */
export type NamedPath = { readonly path: readonly number[]; readonly isFile: boolean };

/** `list`: the key of the messages. `parts`: keys of lists within them. Other words in a path say which of several forms the API has read. */
type Grammar = { readonly list: string; readonly parts: readonly string[]; readonly files: readonly string[] };

const grammars: Readonly<Record<RefusalApi, Grammar>> = {
  anthropic: { list: 'messages', parts: ['content'], files: ['image', 'document', 'pdf'] },
  'openai-responses': {
    ...{ list: 'input', parts: ['content', 'output'] },
    files: ['image_url', 'file_data', 'file_url', 'file_id', 'input_audio', 'audio_url'],
  },
  'openai-chat': { list: 'messages', parts: ['content'], files: ['image_url', 'file', 'input_audio'] },
  google: { list: 'contents', parts: ['parts'], files: ['inline_data', 'inlineData', 'file_data', 'fileData'] },
};

const NUMBER = /^\d{1,6}$/;
/** A message, a part of it, and a part in that. */
const MAX_DEPTH = 3;

/** Reads the place that the API names; undefined if it is in no message. Numbers are spelled `.3`, `[3]` or `.[3]`. */
export function readPath(api: RefusalApi, named: string): NamedPath | undefined {
  const { list, parts, files } = grammars[api];
  const [first, index = '', ...words] = named.split(/[.[\]]+/).filter((word) => word !== '');
  if (first !== list || !NUMBER.test(index)) return undefined;
  const inner = words.filter((word, at) => NUMBER.test(word) && parts.includes(words[at - 1] ?? ''));
  const path = [index, ...inner].slice(0, MAX_DEPTH).map(Number);
  // A field about caching belongs to no file.
  return { path, isFile: words.some((word) => files.includes(word)) && !words.includes('cache_control') };
}
