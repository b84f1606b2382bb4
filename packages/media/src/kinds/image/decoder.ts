import sharp from 'sharp';
import type { Problem } from '../../worker-protocol.ts';

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

/** Turns a decoder's error into a problem of the file. */
export function describeDecoderError(error: unknown, path: string): Problem {
  const text = error instanceof Error ? error.message : '';
  // Not damaged: interlaced and progressive images of a size that others may have are held as a whole.
  const needsTooMuch = /out of memory|insufficient memory/i.test(text);
  return {
    code: needsTooMuch ? 'attachment_pixels_exceeded' : 'attachment_corrupt_image',
    diagnostic: `The decoder says: ${redact(text, path)}`,
  };
}

// The first line without paths and quotations of the file.
function redact(text: string, path: string): string {
  const [line = ''] = text.split('\n', 1);
  const named = line.replaceAll(path, 'file').replaceAll(/"[^"]*"|'[^']*'/g, '...');
  return named.replaceAll(/[^ -~]/g, '').slice(0, 160);
}
