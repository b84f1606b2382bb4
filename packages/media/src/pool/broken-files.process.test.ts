import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { mediaWorker } from '../../../../tests/harness/src/stack/program.ts';
import { buildPdf } from '../__fixtures__/pdfs.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { createMediaPool, type MediaPool } from './media-pool.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const fixture = (name: string) =>
  readFileSync(fileURLToPath(new URL(`../worker/__fixtures__/${name}`, import.meta.url)));

function inspect(pool: MediaPool, name: string, content: Uint8Array) {
  return pool.inspect({ path: folder.write(name, content), sizeBytes: content.length });
}

it('gives broken documents and photos each their outcome, and continues [S16 S17]', async () => {
  await using pool = createMediaPool({ workers: 1, workerPath: mediaWorker });
  const pdf = buildPdf([['One'], ['Two']]);
  const heic = fixture('turned.heic');
  const locked = fixture('password-aes.pdf');
  const broken: [Uint8Array, string][] = [
    [pdf.subarray(0, -40), 'attachment_corrupt'],
    [Buffer.concat([pdf.subarray(0, 60), Buffer.alloc(9000, 0x5b)]), 'attachment_corrupt'],
    [locked, 'attachment_encrypted'],
    [heic.subarray(0, -100), 'attachment_corrupt_image'],
  ];
  for (const [content, code] of broken) {
    expect(await inspect(pool, 'broken', content)).toMatchObject({ status: 'rejected', failure: { code } });
  }
  expect(await inspect(pool, 'whole', pdf)).toMatchObject({ status: 'ready', kind: 'document', facts: { pages: 2 } });
  const recipe = {
    purpose: 'page-image',
    page: 2,
    mimeType: 'image/png',
    maxEdgePixels: 99,
    maxBytes: 99_999,
  } as const;
  const job = {
    path: folder.pathOf('whole'),
    outputPath: folder.pathOf('page'),
    mimeType: 'application/pdf',
    facts: {},
  };
  expect(await pool.makeVariant({ ...job, recipe })).toMatchObject({ status: 'made', page: 2, height: 99 });
});
