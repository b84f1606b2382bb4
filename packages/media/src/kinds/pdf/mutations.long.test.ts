import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mediaWorker } from '../../../../../tests/harness/src/stack/program.ts';
import {
  buildPdfAround,
  buildPdfWithAnnotation,
  buildPdfWithNames,
  buildPdfWithoutMeaning,
  buildPdfWithPicture,
  makeJpeg,
  packNoise,
} from '../../__fixtures__/gapped-pdfs.ts';
import { mutatePdf } from '../../__fixtures__/mutate-pdf.ts';
import { buildPdf, buildPdfWithoutFont } from '../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { createRandom } from '../../passing/__fixtures__/random.ts';
import { createMediaPool, type MediaPool } from '../../pool/media-pool.ts';

const seed = Number(process.env.ATTACHE_TEST_SEED ?? 1);
const COUNT = 2_000;
const folder = createTempFolder();
afterAll(folder.remove);
let originals: Buffer[];
beforeAll(async () => {
  const jpeg = await makeJpeg();
  originals = [
    buildPdf([['First', 'Second line'], [], ['Thr\u00e9e']]),
    ...(['differences', 'identity', 'japanese'] as const).map((way) => buildPdfWithoutFont(way, 'Номер 保険')),
    buildPdfWithNames(['uni0E01', 'uni0416', 'uni2116'], 'Policy'),
    buildPdfWithoutMeaning(),
    ...[true, false].flatMap((withText) => [
      buildPdfWithPicture({ data: jpeg, coding: 'DCTDecode', withText }),
      buildPdfWithPicture({ data: packNoise(), coding: 'FlateDecode', withText }),
    ]),
    buildPdfWithAnnotation('FreeText'),
    buildPdfAround({ page: '(no page)' }),
    buildPdfAround({ content: '0 0 1 rg 20 20 90 90 re f' }),
  ];
});

const run = promisify(execFile);
const hasPoppler = await run('pdftoppm', ['-v']).then(
  () => true,
  () => false,
);

const isWhite = async (path: string): Promise<boolean> =>
  (await sharp(path).stats()).channels.slice(0, 3).every(({ min }) => min > 250);

/** Whether another renderer shows something on a page; undefined where it is not installed, or does not open the document. */
async function showsElsewhere(path: string, page: number): Promise<boolean | undefined> {
  if (!hasPoppler) return undefined;
  const root = folder.pathOf('other');
  const asked = ['-f', `${page}`, '-l', `${page}`, '-r', '36', '-png', '-singlefile', path, root];
  const isDrawn = await run('pdftoppm', asked, { timeout: 20_000 }).then(
    () => true,
    () => false,
  );
  return isDrawn ? !(await isWhite(`${root}.png`)) : undefined;
}

type Found = { outcome: string; blank: string[] };

/** Draws a document as it would be sent, and names the pages that would go out blank without a word. */
async function send(pool: MediaPool, pdf: Buffer): Promise<Found> {
  const path = folder.write('mutated.pdf', pdf);
  const inspected = await pool.inspect({ path, sizeBytes: pdf.length });
  if (inspected.status === 'rejected') return { outcome: inspected.failure.code, blank: [] };
  const { mimeType, facts } = inspected;
  if (mimeType !== 'application/pdf') return { outcome: mimeType, blank: [] };
  const blank: string[] = [];
  for (let page = 1; page <= Math.min(3, facts.pages ?? 0); page += 1) {
    const outputPath = folder.pathOf(`page-${page}.png`);
    const recipe = {
      purpose: 'page-image',
      page,
      mimeType: 'image/png',
      maxEdgePixels: 200,
      maxBytes: 900_000,
    } as const;
    const made = await pool.makeVariant({ path, outputPath, mimeType, facts, recipe });
    if (made.status === 'failed') {
      expect(['attachment_page_unreadable', 'attachment_corrupt']).toContain(made.failure.code);
      continue;
    }
    const isSilent = made.warnings.length === 0 && !facts.pageGaps?.some((gap) => gap.page === page);
    if (isSilent && (await isWhite(outputPath)) && (await showsElsewhere(path, page))) blank.push(`page ${page}`);
    rmSync(outputPath);
  }
  return { outcome: facts.pageGaps === undefined ? 'ready' : 'ready, with gaps', blank };
}

it(`${COUNT} PDFs that are wrong somewhere get an outcome, and no page of them goes out blank without a word [BX-29 S17]`, async () => {
  await using pool = createMediaPool({ workers: 2, workerPath: mediaWorker, pageProcessorTimeMs: 3_000 });
  const random = createRandom(seed);
  const outcomes: Record<string, number> = {};
  const blank: string[] = [];
  for (let count = 0; count < COUNT; count += 1) {
    const pdf = mutatePdf(random.pick(originals), random);
    const found = await send(pool, pdf);
    outcomes[found.outcome] = (outcomes[found.outcome] ?? 0) + 1;
    if (found.blank.length > 0)
      blank.push(`${found.blank} of ${JSON.stringify(pdf.toString('latin1')).slice(0, 3_000)}`);
  }
  process.stdout.write(
    `PDFs by seed ${seed}, ${hasPoppler ? 'beside poppler' : 'alone'}: ${JSON.stringify(outcomes)}\n`,
  );
  expect(outcomes.ready).toBeGreaterThan(COUNT / 10);
  expect(blank).toEqual([]);
  // The workers are as good as before.
  const whole = originals[0] as Buffer;
  expect(await pool.inspect({ path: folder.write('whole', whole), sizeBytes: whole.length })).toMatchObject({
    status: 'ready',
    facts: { pages: 3 },
  });
});
