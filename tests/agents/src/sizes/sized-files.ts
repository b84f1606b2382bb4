import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makeSizedPicture, makeWidePicture, type PictureFormat } from './sized-pictures.ts';

/** A file whose size, not whose content, is what is tried. Made when its turn comes: together they hold 100 MB. */
export type SizedFile = { row: string; column: string; name: string; type: string; make(): Promise<Buffer> };

export type MadeFile = Omit<SizedFile, 'make'> & { bytes: Buffer<ArrayBuffer>; sha256: string };

export async function makeFile({ make, ...file }: SizedFile): Promise<MadeFile> {
  const bytes = Buffer.from(await make());
  return { ...file, bytes, sha256: hash('sha256', bytes) };
}

const label = (sizeBytes: number) => sizeBytes.toLocaleString('en');

/** Around what programs were seen to do: 512,000 bytes of Claude Code, 4.5 MiB of base64 of OpenCode and pi. */
const pictureSizes = [1000, 100_000, 512_000, 512_002, 1_000_000, 3_538_944, 3_538_946, 5_000_000, 20_000_000];

const pictures = (['png', 'jpeg', 'webp', 'gif'] as const).flatMap((format: PictureFormat) =>
  pictureSizes.map(
    (sizeBytes): SizedFile => ({
      row: format === 'webp' ? 'WebP' : format.toUpperCase(),
      column: `${label(sizeBytes)} B`,
      name: `noise-${sizeBytes}.${format}`,
      type: `image/${format}`,
      make: () => makeSizedPicture(format, sizeBytes),
    }),
  ),
);

/** Few bytes, many pixels. */
const sides: readonly (readonly [number, number])[] = [
  [1999, 10],
  [2000, 2000],
  [2001, 10],
  [1900, 1280],
  [1920, 1920],
  [1921, 1280],
  [2000, 1900],
  [8000, 8000],
];

const widePictures = sides.map(
  ([width, height]): SizedFile => ({
    row: 'PNG of one colour',
    column: `${width} × ${height}`,
    name: `wide-${width}-${height}.png`,
    type: 'image/png',
    make: () => makeWidePicture(width, height),
  }),
);

const heicFolder = new URL('../../../../packages/media/src/worker/__fixtures__/', import.meta.url);
const heicSamples = ['turned', 'transparent'].map(
  (name): SizedFile => ({
    row: 'HEIC and PDF',
    column: `HEIC, ${name}`,
    name: `${name}.heic`,
    type: 'image/heic',
    make: () => readFile(fileURLToPath(new URL(`${name}.heic`, heicFolder))),
  }),
);

const documents = [1, 20, 120].map(
  (pages): SizedFile => ({
    row: 'HEIC and PDF',
    column: `PDF, ${pages} ${pages === 1 ? 'page' : 'pages'}`,
    name: `pages-${pages}.pdf`,
    type: 'application/pdf',
    make: async () => buildPdf(Array.from({ length: pages }, (_, index) => [`Page ${index + 1} speaks of whales.`])),
  }),
);

const LINE = 'The quick brown fox jumps over the lazy dog, and nobody minds.\n';
const texts = [100, 10_000, 200_000, 1_000_000, 5_000_000].map(
  (sizeBytes): SizedFile => ({
    row: 'texts',
    column: `${label(sizeBytes)} B`,
    name: `words-${sizeBytes}.txt`,
    type: 'text/plain',
    make: async () => Buffer.from(LINE.repeat(Math.ceil(sizeBytes / LINE.length)).slice(0, sizeBytes)),
  }),
);

export const sizedFiles: readonly SizedFile[] = [...pictures, ...widePictures, ...heicSamples, ...documents, ...texts];
