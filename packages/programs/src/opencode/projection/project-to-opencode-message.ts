import type { ByteReference, Part } from '@attache/contracts';
import { type ByteRendering, writeDataUrl } from '@attache/projections';
import { defineFormat, type PartOf, refusePart } from '@attache/projections/part-format';
import { writePagesHeading, writeTextFile } from '@attache/projections/words';

/** An item of `parts` of a message to `opencode serve`. */
export type OpencodePart =
  | { type: 'text'; text: string }
  | { type: 'file'; mime: string; url: string; filename?: string };

const opencodeMessage = defineFormat(
  'opencode-serve',
  'text',
  'image',
  'text-file',
  'document',
  'pages',
  'audio',
  'descriptor',
);
export const opencodeMessageCarries = opencodeMessage.carries;

/** Parts of a message to `opencode serve`. A file URL where there is a path, else a data URL; no others were seen to arrive. */
export function projectToOpencodeMessage(parts: readonly Part[], rendering: ByteRendering): OpencodePart[] {
  return parts.flatMap((part) => messagePartsOf(part, rendering));
}

function messagePartsOf(part: Part, rendering: ByteRendering): OpencodePart[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ type: 'text', text: part.text }];
    case 'text-file':
      return [{ type: 'text', text: writeTextFile(part, rendering) }];
    case 'image':
      return [imageOf(part.bytes, rendering)];
    case 'document':
    case 'audio':
      return [namedFileOf(part, rendering)];
    case 'pages':
      return [{ type: 'text', text: writePagesHeading(part) }, ...part.pages.map((page) => imageOf(page, rendering))];
    case 'video':
      return refusePart(opencodeMessage, part);
    default:
      return part satisfies never;
  }
}

function imageOf(reference: ByteReference, rendering: ByteRendering): OpencodePart {
  return { type: 'file', mime: reference.mimeType, url: urlOf(reference, rendering) };
}

function namedFileOf({ name, bytes }: PartOf<'document' | 'audio'>, rendering: ByteRendering): OpencodePart {
  return { type: 'file', mime: bytes.mimeType, url: urlOf(bytes, rendering), filename: name };
}

function urlOf(reference: ByteReference, rendering: ByteRendering): string {
  if (rendering.path === undefined) return writeDataUrl(reference, rendering);
  return `file://${rendering.path(reference).split('/').map(encodeURIComponent).join('/')}`;
}
