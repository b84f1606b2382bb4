import type { ByteReference, Part } from '@attache/contracts';
import { anthropicImageTypes } from '@attache/domain';
import type { ByteRendering } from '../byte-rendering.ts';
import { defineFormat, type PartOf, refusePart } from '../part-format.ts';
import { writePagesHeading } from '../words.ts';

type UrlSource = { type: 'url'; url: string };
type ImageSource = { type: 'base64'; media_type: (typeof anthropicImageTypes)[number]; data: string };
type PdfSource = { type: 'base64'; media_type: 'application/pdf'; data: string };
type TextSource = { type: 'text'; media_type: 'text/plain'; data: string };

/** A content block of a user message. */
export type AnthropicBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: ImageSource | UrlSource }
  | { type: 'document'; title: string; source: PdfSource | TextSource | UrlSource };

const anthropic = defineFormat('anthropic', 'text', 'image', 'text-file', 'document', 'pages', 'descriptor');
export const anthropicCarries = anthropic.carries;
export type AnthropicFormat = typeof anthropic;

/** Content of a user message of the Messages API. Images and PDF have a URL form; the text of a file always is in its block. */
export function projectToAnthropic(parts: readonly Part[], rendering: ByteRendering): AnthropicBlock[] {
  return buildBlocks(anthropic, parts, rendering);
}

/** The same blocks for a format that shares them. */
export function buildBlocks(
  format: AnthropicFormat,
  parts: readonly Part[],
  rendering: ByteRendering,
): AnthropicBlock[] {
  return parts.flatMap((part) => blocksOfPart(format, part, rendering));
}

function blocksOfPart(format: AnthropicFormat, part: Part, rendering: ByteRendering): AnthropicBlock[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [imageOf(format, part.bytes, rendering)];
    case 'text-file':
      return [textFileOf(part, rendering)];
    case 'document':
      return [documentOf(part, rendering)];
    case 'pages':
      return [
        { type: 'text', text: writePagesHeading(part) },
        ...part.pages.map((page) => imageOf(format, page, rendering)),
      ];
    case 'audio':
    case 'video':
      return refusePart(format, part);
    default:
      return part satisfies never;
  }
}

function imageOf({ name }: AnthropicFormat, reference: ByteReference, rendering: ByteRendering): AnthropicBlock {
  if (rendering.url !== undefined) return { type: 'image', source: { type: 'url', url: rendering.url(reference) } };
  const imageType = anthropicImageTypes.find((type) => type === reference.mimeType);
  if (imageType === undefined) throw new Error(`${name} takes no image of type ${reference.mimeType}`);
  return { type: 'image', source: { type: 'base64', media_type: imageType, data: rendering.base64(reference) } };
}

/** `text/plain` is the only type of text that the API knows; the title says what the file is. */
function textFileOf({ name, bytes }: PartOf<'text-file'>, rendering: ByteRendering): AnthropicBlock {
  const source: TextSource = { type: 'text', media_type: 'text/plain', data: rendering.text(bytes) };
  return { type: 'document', title: name, source };
}

function documentOf({ name, bytes }: PartOf<'document'>, rendering: ByteRendering): AnthropicBlock {
  const source: PdfSource | UrlSource =
    rendering.url === undefined
      ? { type: 'base64', media_type: 'application/pdf', data: rendering.base64(bytes) }
      : { type: 'url', url: rendering.url(bytes) };
  return { type: 'document', title: name, source };
}
