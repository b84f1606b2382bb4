import { afterAll, expect, it, vi } from 'vitest';
import { mediaWorker } from '../../../../tests/harness/src/stack/program.ts';
import { buildCostlyPdf, buildPdf } from '../__fixtures__/pdfs.ts';
import { findChildren, readNiceValues, readSessionNice } from '../__fixtures__/processes.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { createMediaPool } from './media-pool.ts';
import { LOWERED_PRIORITY } from './watch/lower-priority.ts';

const WAIT = { timeout: 60_000, interval: 10 };

const folder = createTempFolder();
afterAll(folder.remove);

it('a small document that takes all the time there is ends as too costly after one attempt, never as corrupt [BX-27 S16]', async () => {
  // It never yields, so a busy machine slows it and does not stop it.
  await using pool = createMediaPool({ workers: 1, workerPath: mediaWorker, yieldAfterMs: 60_000 });
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

/** A pool of one worker that soon has computed for long. */
function openPool(yieldAfterMs: number) {
  const pool = createMediaPool({ workers: 1, workerPath: mediaWorker, yieldAfterMs, processorTimeMs: 1_500 });
  const inspect = (name: string, bytes: Buffer) =>
    pool.inspect({ path: folder.write(name, bytes), sizeBytes: bytes.length });
  return { pool, inspect, inspectSound: () => inspect('sound', buildPdf([['One']])) };
}

it('an inspection that computes for long leaves the processors to others first [BX-27]', async () => {
  const { pool, inspect, inspectSound } = openPool(100);
  await using _ = pool;
  await inspectSound();
  const [worker = 0] = findChildren();
  expect(readNiceValues(worker)).toEqual(new Set([10]));
  const inspecting = inspect('costly', buildCostlyPdf());
  await vi.waitFor(() => expect(readNiceValues(worker)).toEqual(new Set([LOWERED_PRIORITY])), WAIT);
  await vi.waitFor(() => expect([LOWERED_PRIORITY, undefined]).toContain(readSessionNice(worker)), WAIT);
  expect(await inspecting).toMatchObject({ status: 'rejected' });
});

it('its worker is not used for the next one, and the next one is there before its place is free [BX-27]', async () => {
  const { pool, inspect, inspectSound } = openPool(200);
  await using _ = pool;
  await inspectSound();
  const workers = findChildren();
  const pages = Array.from({ length: 40_000 }, (_page, index) => [`Page ${index}`]);
  expect(await inspect('long', buildPdf(pages))).toMatchObject({ status: 'ready', facts: { pages: 40_000 } });
  const [next = 0] = findChildren();
  expect(workers).not.toContain(next);
  expect(readNiceValues(next)).toEqual(new Set([10]));
  await inspectSound();
  expect(findChildren()).toEqual([next]);
});
