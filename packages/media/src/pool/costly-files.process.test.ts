import { afterAll, expect, it } from 'vitest';
import { mediaWorker } from '../../../../tests/harness/src/stack/program.ts';
import { buildCostlyPdf, buildPdf } from '../__fixtures__/pdfs.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { createMediaPool } from './media-pool.ts';

const folder = createTempFolder();
afterAll(folder.remove);

it('a small document that takes all the time there is ends as too costly after one attempt, never as corrupt [BX-27 S16 DL-37]', async () => {
  await using pool = createMediaPool({ workers: 1, workerPath: mediaWorker });
  const costly = buildCostlyPdf();
  expect(costly.length).toBeLessThan(4096);
  const found = await pool.inspect({ path: folder.write('costly', costly), sizeBytes: costly.length });
  expect(found).toMatchObject({
    status: 'rejected',
    kind: 'document',
    mimeType: 'application/pdf',
    failure: {
      code: 'attachment_inspection_too_costly',
      retryable: false,
      safeDetails: { cause: 'processor-time', attempts: 1 },
    },
  });
  const sound = buildPdf([['One']]);
  expect(await pool.inspect({ path: folder.write('sound', sound), sizeBytes: sound.length })).toMatchObject({
    status: 'ready',
    facts: { pages: 1 },
  });
});
