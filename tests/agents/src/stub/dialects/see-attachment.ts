import { createHash } from 'node:crypto';
import type { SeenAttachment } from '../conversation.ts';

type Block = { type: string; where: SeenAttachment['where'] };

/** Decodes and hashes an attachment given as base64. */
export function seeBase64(block: Block, mimeType: string, data: string): SeenAttachment {
  const bytes = Buffer.from(data, 'base64');
  return { ...block, mimeType, sizeBytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

/** The same for a URL: a data URL is decoded, any other is a reference that nobody follows. */
export function seeUrl(block: Block, url: string): SeenAttachment {
  const comma = url.indexOf(',');
  const isData = url.startsWith('data:') && comma > 0;
  if (!isData) return { ...block, mimeType: '', sizeBytes: 0, sha256: '' };
  const [mimeType = ''] = url.slice('data:'.length, comma).split(';');
  return seeBase64(block, mimeType, url.slice(comma + 1));
}
