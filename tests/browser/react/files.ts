import { buildPdf } from '@attache/media/fixtures/pdfs';
import { makeNoisePng, makePng } from '@attache/test-harness';

type Named = { name: string; mimeType: string; buffer: Buffer };

let seed = 0;

/** A small PNG, each with bytes of its own. */
export function imageOf(name: string, [width, height] = [32, 24]): Named {
  seed += 1;
  return { name, mimeType: 'image/png', buffer: Buffer.from(makePng(width, height, seed)) };
}

/** A PNG that takes a slow line some time. */
export const largeImageOf = (name: string, sizeBytes: number): Named => ({
  ...{ name, mimeType: 'image/png' },
  buffer: Buffer.from(makeNoisePng(sizeBytes)),
});

export const reportOf = (name: string): Named => ({
  ...{ name, mimeType: 'application/pdf' },
  buffer: buildPdf([['Quarterly report', 'Revenue grew.'], ['Page two']]),
});

export const textOf = (name: string, text: string): Named => ({
  ...{ name, mimeType: 'text/plain' },
  buffer: Buffer.from(text),
});
