import { createHash } from 'node:crypto';
import { type JsonRecord, recordOf, stringOf } from './json-values.ts';

export type TakenMedia = { mimeType: string; bytes: Buffer; sha256: string };

/** The bytes of a content block that holds media (image, audio, embedded binary resource); undefined where it holds none. */
export function takeMedia(block: JsonRecord): TakenMedia | undefined {
  const resource = recordOf(block.resource);
  const encoded = block.type === 'resource' ? stringOf(resource.blob) : mediaDataOf(block);
  if (encoded === undefined) return undefined;
  const declared = stringOf(block.type === 'resource' ? resource.mimeType : block.mimeType);
  const bytes = Buffer.from(encoded, 'base64');
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { mimeType: declared ?? 'application/octet-stream', bytes, sha256 };
}

function mediaDataOf(block: JsonRecord): string | undefined {
  return block.type === 'image' || block.type === 'audio' ? stringOf(block.data) : undefined;
}

/** The text of a content block; empty where it has none. */
export function textOfBlock(block: JsonRecord): string {
  switch (block.type) {
    case 'text':
      return stringOf(block.text) ?? '';
    case 'resource':
      return stringOf(recordOf(block.resource).text) ?? '';
    case 'resource_link':
      return `${stringOf(block.name) ?? 'link'} <${stringOf(block.uri) ?? ''}>`;
    default:
      return '';
  }
}
