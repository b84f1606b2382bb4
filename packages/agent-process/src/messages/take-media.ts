import { createHash } from 'node:crypto';
import { type JsonRecord, recordOf, stringOf } from './json-values.ts';

export type TakenMedia = { mimeType: string; bytes: Buffer; sha256: string };

const base64 = /^[A-Za-z0-9+/_\s-]+={0,2}\s*$/;

/**
 * The bytes of a content block that holds media (image, audio, embedded binary resource); undefined where it holds none, or what is no
 * base64: that is text, like any other value.
 */
export function takeMedia(block: JsonRecord): TakenMedia | undefined {
  const resource = recordOf(block.resource);
  const encoded = block.type === 'resource' ? stringOf(resource.blob) : mediaDataOf(block);
  if (encoded === undefined || !base64.test(encoded)) return undefined;
  const declared = stringOf(block.type === 'resource' ? resource.mimeType : block.mimeType);
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.length === 0) return undefined;
  return { mimeType: declared ?? 'application/octet-stream', bytes, sha256: digestOf(bytes) };
}

/** The digest of what a text in base64 spells; undefined where it is none. */
export function digestOfBase64(text: string): string | undefined {
  return base64.test(text) ? digestOf(Buffer.from(text, 'base64')) : undefined;
}

function digestOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function mediaDataOf(block: JsonRecord): string | undefined {
  return block.type === 'image' || block.type === 'audio' ? stringOf(block.data) : undefined;
}

/** The text of a content block. A block of a kind without text is given as it is: a tool's output is never lost. */
export function textOfBlock(block: JsonRecord): string {
  const { type, ...rest } = block;
  const text = type === 'resource' ? recordOf(block.resource).text : block.text;
  if ((type === 'text' || type === 'resource') && typeof text === 'string') return text;
  if (type === 'resource_link') return `${stringOf(block.name) ?? 'link'} <${stringOf(block.uri) ?? ''}>`;
  return type === TAKEN || type === 'text' || Object.keys(rest).length === 0 ? '' : JSON.stringify(block);
}

const TAKEN = 'media';

/** The entry in a tool's result that replaces media taken out of it. */
export function describeTaken({ mimeType, bytes, sha256 }: TakenMedia): JsonRecord {
  return { type: TAKEN, mimeType, sizeBytes: bytes.length, sha256 };
}
