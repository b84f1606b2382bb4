import { hash } from 'node:crypto';
import type { ModelApi } from '../../stub/dialects/dialect.ts';
import type { ModelReply } from '../../stub/model-stub.ts';

/** How a model refuses a picture: with its place in the request, or without. */
export type PictureRefusal = {
  name: string;
  /** The knowledge that its fields give away: which picture, that it was a picture, or nothing. */
  says: 'which' | 'picture' | 'nothing';
  compose(api: ModelApi, body: unknown, sha256: string): ModelReply;
};

/** Names the picture by its place: the provider is certain which one. */
const named: PictureRefusal = {
  name: 'by its place',
  says: 'which',
  compose(api, body, sha256) {
    const place = spell[api](findPicture(body, sha256) ?? []);
    // Anthropic puts it into the message, the others into a field of its own.
    if (api === 'anthropic') return refuse({ message: `${place}: the picture cannot be read` });
    return refuse({ message: 'the picture cannot be read', named: place });
  },
};

const byCode: PictureRefusal = {
  name: 'by its code',
  says: 'picture',
  compose: () => refuse({ message: 'the picture cannot be read', code: 'invalid_image_format' }),
};

const inWords: PictureRefusal = {
  name: 'in words alone',
  says: 'nothing',
  compose: () => refuse({ message: 'Could not process image' }),
};

/** A type by which Codex does not know that its request was at fault. */
const asUnknownType: PictureRefusal = {
  name: 'by a type of nobody',
  says: 'nothing',
  compose: () => refuse({ message: 'Could not process image', type: 'not known' }),
};

/** The ways in which an API refuses one. */
export const refusalsOf: Readonly<Record<ModelApi, readonly PictureRefusal[]>> = {
  anthropic: [named, inWords],
  'openai-responses': [named, byCode, asUnknownType],
  'openai-chat': [named, byCode],
  google: [named, inWords],
};

const refuse = (error: { type?: string; message: string; code?: string; named?: string }): ModelReply => ({
  status: 400,
  error,
});

type Key = string | number;

/** The keys on the way to the string that holds these bytes. */
function findPicture(value: unknown, sha256: string, way: readonly Key[] = []): readonly Key[] | undefined {
  if (typeof value === 'string') return holds(value, sha256) ? way : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const entries = Array.isArray(value) ? value.map((each, index) => [index, each] as const) : Object.entries(value);
  for (const [key, inner] of entries) {
    const found = findPicture(inner, sha256, [...way, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

function holds(text: string, sha256: string): boolean {
  const data = text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
  return data.length > 60 && hash('sha256', Buffer.from(data, 'base64')) === sha256;
}

/** As each API spells a place. */
const spell: Readonly<Record<ModelApi, (way: readonly Key[]) => string>> = {
  anthropic: (way) => {
    const inner = way
      .slice(0, -2)
      .join('.')
      .replace(/(content\.\d+)(\.content)/, '$1.tool_result$2');
    return `${inner}.image.source.base64.data`;
  },
  'openai-responses': indexed,
  'openai-chat': (way) => indexed(way.slice(0, -1)),
  google: (way) => `${indexed(way.slice(0, -2))}.inline_data.data`,
};

function indexed(way: readonly Key[]): string {
  return way
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);
}
