import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMediaPool, type MediaPool } from '@attache/media';
import { buildPdf, buildPdfWithoutFont } from '@attache/media/fixtures/pdfs';
import type { Result } from '../../report/result.ts';
import { summarise, time } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';

const ROUNDS = 20;
const TEXT_ROUNDS = 5;
const WARM_ROUNDS = 3;
const PAGES = 120;
const LINES = 48;

const mimeType = 'application/pdf';

const writeLines = (more: string): string[][] =>
  Array.from({ length: PAGES }, (_, page) =>
    Array.from({ length: LINES }, (_, line) => `Line ${line} of page ${page}: the quick brown fox jumps over${more}`),
  );

/** Documents by what their pages need from the reader. */
const documents: Record<string, Buffer> = {
  'English text': buildPdf(writeLines('')),
  'text with letters of Western Europe': buildPdf(writeLines(' \\344\\366\\374 \\200')),
  'one line in a font that is not in it': buildPdfWithoutFont('identity', 'Номер полиса 48213'),
};

const TEXT_BYTES = 20_000_000;
const line = Buffer.from('2026-11-20 10:04 Номер полиса указан в первой строке письма.\n');
/** Cyrillic letters as windows-1251 has them: in the same order. */
const olderLine = Buffer.from(
  Array.from(line.toString(), (char) => {
    const code = char.charCodeAt(0);
    return code < 0x80 ? code : code - 0x410 + 0xc0;
  }),
);
const fill = (text: Buffer): Buffer => Buffer.alloc(TEXT_BYTES, text);

/** Texts by what their encoding needs. Made when they are measured: other measurements would have their memory. */
const texts: Record<string, () => Buffer> = {
  'UTF-8': () => fill(line),
  'UTF-8 with a broken byte': () => Buffer.concat([fill(line), Buffer.from([0xff])]),
  'windows-1251': () => fill(olderLine),
};

type Timed = { rounds: number };

async function measure({ rounds }: Timed, what: string, work: () => Promise<{ status: string }>): Promise<Result> {
  const samples: number[] = [];
  for (let round = -WARM_ROUNDS; round < rounds; round += 1) {
    const { result, tookMs } = await time(work);
    if (result.status !== 'ready' && result.status !== 'made') throw new Error(`${what}: ${JSON.stringify(result)}`);
    if (round >= 0) samples.push(tookMs);
  }
  return { what, unit: 'ms', product: summarise(samples) };
}

async function measureDocument(timed: Timed, pool: MediaPool, name: string, path: string): Promise<Result[]> {
  const { size } = await stat(path);
  const outputPath = `${path}.jpg`;
  const limits = { maxEdgePixels: 1568, maxBytes: 786_432 };
  const recipe = { purpose: 'page-image', page: 1, mimeType: 'image/jpeg', ...limits } as const;
  const draw = async () => {
    await rm(outputPath, { force: true });
    return pool.makeVariant({ path, outputPath, mimeType, facts: {}, recipe });
  };
  return [
    await measure(timed, `inspection of a PDF: ${name}`, () => pool.inspect({ path, sizeBytes: size })),
    await measure(timed, `image of a page of a PDF: ${name}`, draw),
  ];
}

/** Inspection of documents and texts, and page images, by one warm worker, with the look for what a drawing leaves out. For information. */
export async function measureDocuments({ say, counted }: EmbeddedBench): Promise<Result[]> {
  say('  documents');
  const folder = await mkdtemp(join(tmpdir(), 'attache-bench-documents-'));
  await using pool = createMediaPool({ workers: 1 });
  const results: Result[] = [];
  for (const [name, bytes] of Object.entries(documents)) {
    const path = join(folder, 'document.pdf');
    await writeFile(path, bytes);
    results.push(...(await measureDocument({ rounds: counted(ROUNDS) }, pool, name, path)));
  }
  for (const [name, make] of Object.entries(texts)) {
    const path = join(folder, 'text.txt');
    await writeFile(path, make());
    const { size: sizeBytes } = await stat(path);
    const inspect = () => pool.inspect({ path, sizeBytes });
    results.push(await measure({ rounds: counted(TEXT_ROUNDS) }, `inspection of 20 MB of text: ${name}`, inspect));
  }
  await rm(folder, { recursive: true, force: true });
  return results;
}
