import type { ByteReference, Part } from '@attache/contracts';
import { type ByteRendering, writeDataUrl } from '../byte-rendering.ts';
import { defineFormat, type PartOf, refusePart } from '../part-format.ts';
import { writePagesHeading, writeTextFile } from '../words.ts';

type AudioFormat = 'wav' | 'mp3';

/** A content part of a user message. */
export type ChatPart =
  | { type: 'text'; text: string }
  | { type: 'image_url'; image_url: { url: string } }
  | { type: 'file'; file: { filename: string; file_data: string } }
  | { type: 'input_audio'; input_audio: { data: string; format: AudioFormat } };

const openaiChat = defineFormat(
  'openai-chat',
  'text',
  'image',
  'text-file',
  'document',
  'pages',
  'audio',
  'descriptor',
);
export const openaiChatCarries = openaiChat.carries;

const audioFormats = new Map<string, AudioFormat>([
  ['audio/wav', 'wav'],
  ['audio/mpeg', 'mp3'],
]);

/** Content of a user message of Chat Completions. Only images have a URL form: PDF and sound are base64 always. */
export function projectToOpenaiChat(parts: readonly Part[], rendering: ByteRendering): ChatPart[] {
  return parts.flatMap((part) => chatPartsOf(part, rendering));
}

function chatPartsOf(part: Part, rendering: ByteRendering): ChatPart[] {
  switch (part.type) {
    case 'text':
    case 'descriptor':
      return [{ type: 'text', text: part.text }];
    case 'image':
      return [imageOf(part.bytes, rendering)];
    case 'text-file':
      return [{ type: 'text', text: writeTextFile(part, rendering) }];
    case 'document':
      return [{ type: 'file', file: { filename: part.name, file_data: writeDataUrl(part.bytes, rendering) } }];
    case 'pages':
      return [{ type: 'text', text: writePagesHeading(part) }, ...part.pages.map((page) => imageOf(page, rendering))];
    case 'audio':
      return [audioOf(part, rendering)];
    case 'video':
      return refusePart(openaiChat, part);
    default:
      return part satisfies never;
  }
}

function imageOf(reference: ByteReference, rendering: ByteRendering): ChatPart {
  const url = rendering.url?.(reference) ?? writeDataUrl(reference, rendering);
  return { type: 'image_url', image_url: { url } };
}

function audioOf({ bytes }: PartOf<'audio'>, rendering: ByteRendering): ChatPart {
  const format = audioFormats.get(bytes.mimeType);
  if (format === undefined) throw new Error(`${openaiChat.name} takes no audio of type ${bytes.mimeType}`);
  return { type: 'input_audio', input_audio: { data: rendering.base64(bytes), format } };
}
