import type { SeenAttachment } from '../conversation.ts';
import { seeBase64, seeUrl } from './see-attachment.ts';

/** A part of a message in either of OpenAI's APIs. */
export type OpenAiPart = {
  type: string;
  text?: string;
  image_url?: string | { url: string };
  audio_url?: string;
  input_audio?: { data: string; format: string };
  file_data?: string;
  file?: { file_data?: string };
};

export function listParts(content: string | OpenAiPart[] | null | undefined): OpenAiPart[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content ?? []);
}

/** Puts a part's text or attachment where it belongs. */
export function readPart(
  into: { texts: string[]; attachments: SeenAttachment[] },
  part: OpenAiPart,
  where: SeenAttachment['where'],
): void {
  const { type } = part;
  if (part.text !== undefined) into.texts.push(part.text);
  else if (part.input_audio) {
    const { data, format } = part.input_audio;
    into.attachments.push(seeBase64({ type, where }, `audio/${format}`, data));
  } else if (/image|audio|file/.test(type)) into.attachments.push(seeUrl({ type, where }, findUrl(part)));
}

function findUrl({ image_url, audio_url, file_data, file }: OpenAiPart): string {
  const imageUrl = typeof image_url === 'object' ? image_url.url : image_url;
  return imageUrl ?? audio_url ?? file_data ?? file?.file_data ?? '';
}
