import type { ByteReference, Part } from '@attache/contracts';
import { type ByteRendering, writeDataUrl } from '../byte-rendering.ts';
import { defineFormat, type PartOf, refusePart } from '../part-format.ts';
import { writePagesHeading, writeTextFile } from '../words.ts';

/** A content part of a user message among the input items. */
export type ResponsesContent =
  | { type: 'input_text'; text: string }
  | { type: 'input_image'; detail: 'auto'; image_url: string }
  | { type: 'input_file'; filename: string; file_data: string }
  | { type: 'input_file'; file_url: string };

const openaiResponses = defineFormat(
  'openai-responses',
  'text',
  'image',
  'text-file',
  'document',
  'pages',
  'descriptor',
);
export const openaiResponsesCarries = openaiResponses.carries;

/** Content of a user message of the Responses API. Images and PDF have a URL form. Its messages have no part for sound. */
export function projectToOpenaiResponses(parts: readonly Part[], rendering: ByteRendering): ResponsesContent[] {
  return parts.flatMap((part) => contentOfPart(part, rendering));
}

function contentOfPart(part: Part, rendering: ByteRendering): ResponsesContent[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ type: 'input_text', text: part.text }];
    case 'image':
      return [imageOf(part.bytes, rendering)];
    case 'text-file':
      return [{ type: 'input_text', text: writeTextFile(part, rendering) }];
    case 'document':
      return [fileOf(part, rendering)];
    case 'pages':
      return [
        { type: 'input_text', text: writePagesHeading(part) },
        ...part.pages.map((page) => imageOf(page, rendering)),
      ];
    case 'audio':
    case 'video':
      return refusePart(openaiResponses, part);
    default:
      return part satisfies never;
  }
}

function imageOf(reference: ByteReference, rendering: ByteRendering): ResponsesContent {
  const url = rendering.url?.(reference) ?? writeDataUrl(reference, rendering);
  return { type: 'input_image', detail: 'auto', image_url: url };
}

/** The API refuses a file name together with a URL. */
function fileOf({ name, bytes }: PartOf<'document'>, rendering: ByteRendering): ResponsesContent {
  if (rendering.url !== undefined) return { type: 'input_file', file_url: rendering.url(bytes) };
  return { type: 'input_file', filename: name, file_data: writeDataUrl(bytes, rendering) };
}
