import { type ByteReference, idFromUuid } from '@attache/contracts';
import type { PathRendering } from '../byte-rendering.ts';

const uuidOf = (number: number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

export const attachmentId = (number: number) => idFromUuid('attachment', uuidOf(number));

/** Different bytes for every number; of an attachment of the same number unless another is given. */
export function givenReference(number: number, mimeType: string, attachment = number): ByteReference {
  return {
    attachmentId: attachmentId(attachment),
    variantId: idFromUuid('variant', uuidOf(number)),
    mimeType,
    sizeBytes: 1000 + number,
    sha256: String(number).padStart(64, '0'),
  };
}

export type Way = 'base64' | 'text' | 'url' | 'path';

/** The mark that replaces the bytes of a reference in a converted message. */
export function markOf(way: Way, { variantId, mimeType }: ByteReference): string {
  return way === 'path' ? `/files/${variantId}.${mimeType.split('/')[1]}` : `<${way} of ${variantId}>`;
}

export const marks = /<(?:base64|text|url) of var_[\w-]{22}>|\/files\/var_[\w-]{22}\.\w+/g;

/** Returns the content of a data URL; other strings unchanged. */
export const readDataUrl = (url: string) => url.replace(/^data:[a-z]+\/[a-z0-9]+;base64,/, '');

export const inlineRendering = {
  base64: (reference: ByteReference) => markOf('base64', reference),
  text: (reference: ByteReference) => markOf('text', reference),
};

export const urlRendering = { ...inlineRendering, url: (reference: ByteReference) => markOf('url', reference) };

export const pathRendering: PathRendering = {
  ...inlineRendering,
  path: (reference) => markOf('path', reference),
};
