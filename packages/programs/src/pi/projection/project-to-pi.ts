import type { Part } from '@attache/contracts';
import type { ByteRendering } from '@attache/projections';
import { gatherPrompt, splitImagePart } from '@attache/projections/gather-prompt';
import { defineFormat } from '@attache/projections/part-format';

/** The command of a turn on standard input with `--mode rpc`; the caller adds its `id`. */
export type PiPrompt = {
  type: 'prompt';
  message: string;
  images: { type: 'image'; data: string; mimeType: string }[];
};

const pi = defineFormat('pi', 'text', 'image', 'text-file', 'pages', 'descriptor');
export const piCarries = pi.carries;

/** The prompt of a turn. There is no field for anything but images (seen with pi 0.87.1). */
export function projectToPi(parts: readonly Part[], rendering: ByteRendering): PiPrompt {
  const { prompt, files } = gatherPrompt(parts.flatMap((part) => splitImagePart(pi, part, rendering)));
  const images = files.map((file) => {
    return { type: 'image' as const, data: rendering.base64(file), mimeType: file.mimeType };
  });
  return { type: 'prompt', message: prompt, images };
}
