import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMediaPool } from '@attache/media';
import { afterAll, expect, it } from 'vitest';
import { mediaWorker } from '../../../../../tests/harness/src/stack/program.ts';
import { drawDocument } from './draw-document.ts';

const folder = mkdtempSync(join(tmpdir(), 'attache-document-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('the demo’s document has two pages with text, and a drawing on the second', async () => {
  const bytes = drawDocument();
  const path = join(folder, 'walk.pdf');
  writeFileSync(path, bytes);
  await using media = createMediaPool({ workers: 1, workerPath: mediaWorker });
  const found = await media.inspect({ path, sizeBytes: bytes.length });
  expect(found).toMatchObject({ status: 'ready', mimeType: 'application/pdf', kind: 'document', facts: { pages: 2 } });
  if (found.status !== 'ready') return;
  const job = { path, mimeType: found.mimeType, facts: found.facts };
  const make = (recipe: Parameters<typeof media.makeVariant>[0]['recipe'], name: string) =>
    media.makeVariant({ ...job, outputPath: join(folder, name), recipe });
  await make({ purpose: 'document-text', maxBytes: found.facts.textBytes ?? 0 }, 'text');
  const text = readFileSync(join(folder, 'text'), 'utf8');
  expect(text).toMatch(/Evening walk.*second bridge.*The way back.*between these hills/s);
  const sizes = await Promise.all(
    [1, 2].map((page) =>
      make(
        { purpose: 'page-image', page, mimeType: 'image/png', maxEdgePixels: 300, maxBytes: 500_000 },
        `page-${page}`,
      ),
    ),
  );
  expect(sizes).toMatchObject([
    { status: 'made', height: 300 },
    { status: 'made', height: 300 },
  ]);
});
