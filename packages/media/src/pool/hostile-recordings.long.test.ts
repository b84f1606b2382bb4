import { afterAll, expect, it } from 'vitest';
import { mediaWorker } from '../../../../tests/harness/src/stack/program.ts';
import { hostileRecordings } from '../__fixtures__/hostile-recordings.ts';
import { pathOfRecording } from '../__fixtures__/recordings.ts';
import { createTempFolder } from '../__fixtures__/temp-folder.ts';
import { createMediaPool } from './media-pool.ts';

const folder = createTempFolder();
afterAll(folder.remove);

const day = 24 * 3600 * 1000;

it('gives each recording that claims too much an outcome, and the next file its facts [S16 S17]', async () => {
  await using pool = createMediaPool({ workers: 1, workerPath: mediaWorker });
  const outcomes: Record<string, number> = {};
  for (const [claim, bytes] of hostileRecordings) {
    const found = await pool.inspect({ path: folder.write('hostile', bytes), sizeBytes: bytes.length });
    const outcome = found.status === 'ready' ? `ready as ${found.kind}` : found.failure.code;
    // If the pictures of a video cannot be found, its sound may still be.
    expect(
      ['attachment_corrupt', 'attachment_inspection_too_costly', 'ready as video', 'ready as audio'],
      claim,
    ).toContain(outcome);
    if (found.status === 'ready') expect(found.facts.durationMs ?? 0, claim).toBeLessThan(31 * day + 1);
    const cause = found.status === 'rejected' ? (found.failure.safeDetails?.cause ?? 'parser') : 'none';
    outcomes[`${outcome}, ended by ${cause}`] = (outcomes[`${outcome}, ended by ${cause}`] ?? 0) + 1;
    const next = await pool.inspect({ path: pathOfRecording('mp4-av1.mp4'), sizeBytes: 4083 });
    expect(next, claim).toMatchObject({ status: 'ready', kind: 'video', facts: { durationMs: 2000 } });
  }
  process.stdout.write(`Recordings that claim too much: ${JSON.stringify(outcomes)}\n`);
}, 240_000);
