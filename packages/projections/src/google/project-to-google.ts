import type { ByteReference, Part } from '@attache/contracts';
import type { ByteRendering } from '../byte-rendering.ts';
import { defineFormat } from '../part-format.ts';
import { writePagesHeading, writeTextFile } from '../words.ts';

/** A part of a user content. */
export type GooglePart =
  | { text: string }
  | { inlineData: { mimeType: string; data: string } }
  | { fileData: { mimeType: string; fileUri: string } };

const google = defineFormat(
  'google',
  'text',
  'image',
  'text-file',
  'document',
  'pages',
  'audio',
  'video',
  'descriptor',
);
export const googleCarries = google.carries;

/** Parts of a user content of Google's API. Images and PDF go by URL where URLs are asked for; sound and video are base64 always. */
export function projectToGoogle(parts: readonly Part[], rendering: ByteRendering): GooglePart[] {
  return parts.flatMap((part) => googlePartsOf(part, rendering));
}

function googlePartsOf(part: Part, rendering: ByteRendering): GooglePart[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ text: part.text }];
    case 'text-file':
      return [{ text: writeTextFile(part, rendering) }];
    case 'image':
    case 'document':
      return [linkOrInline(part.bytes, rendering)];
    case 'pages':
      return [{ text: writePagesHeading(part) }, ...part.pages.map((page) => linkOrInline(page, rendering))];
    case 'audio':
    case 'video':
      return [inline(part.bytes, rendering)];
    default:
      return part satisfies never;
  }
}

function linkOrInline(reference: ByteReference, rendering: ByteRendering): GooglePart {
  if (rendering.url === undefined) return inline(reference, rendering);
  return { fileData: { mimeType: reference.mimeType, fileUri: rendering.url(reference) } };
}

function inline(reference: ByteReference, rendering: ByteRendering): GooglePart {
  return { inlineData: { mimeType: reference.mimeType, data: rendering.base64(reference) } };
}
