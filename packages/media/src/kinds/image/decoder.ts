import sharp from 'sharp';
import type { Problem } from '../../worker-protocol.ts';
import { findTiffGap } from './structure/find-tiff-gap.ts';
import { readTiff } from './structure/read-tiff.ts';

// One job per core, and nothing of one tenant's file kept for the next.
sharp.concurrency(1);
sharp.cache(false);

// Only the decoders of our kinds: SVG, PDF, and whatever else libvips can open stay shut (S11, A26).
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({
  operation: [
    ...['Jpeg', 'Png', 'Webp', 'Nsgif', 'Tiff', 'Heif'].map((format) => `VipsForeignLoad${format}File`),
    'VipsForeignLoadHeifBuffer',
  ],
});

/** The image decoder, set up for files that may be hostile. */
export { sharp };

type ImageFile = { path: string; mimeType: string };

/** Turns a decoder's error into a problem of the file. */
export function describeDecoderError(error: unknown, { path, mimeType }: ImageFile): Problem {
  const text = error instanceof Error ? error.message : '';
  const diagnostic = `The decoder says: ${redact(text, path)}`;
  // Not damaged: interlaced and progressive images of a size that others may have are held as a whole.
  if (/out of memory|insufficient memory/i.test(text)) return { code: 'attachment_pixels_exceeded', diagnostic };
  const gap = mimeType === 'image/tiff' ? describeTiffGap(path) : undefined;
  return gap ?? { code: 'attachment_corrupt_image', diagnostic };
}

// Only the tags distinguish a kind that the decoder lacks from damage: its words do not.
function describeTiffGap(path: string): Problem | undefined {
  const picture = readTiff(path);
  const gap = picture && findTiffGap(picture);
  if (gap === undefined) return undefined;
  return { code: 'attachment_type_unsupported', diagnostic: `The decoder of TIFF lacks ${gap}.` };
}

// The first line without paths and quotations of the file.
function redact(text: string, path: string): string {
  const [line = ''] = text.split('\n', 1);
  const named = line.replaceAll(path, 'file').replaceAll(/"[^"]*"|'[^']*'/g, '...');
  return named.replaceAll(/[^ -~]/g, '').slice(0, 160);
}
