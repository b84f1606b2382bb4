import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Database } from '@attache/database';
import { createPlace, type Place } from '@attache/database/contract';
import { createMediaPool } from '@attache/media';
import { countProcesses } from '@attache/media/fixtures/processes';
import { beforeAll, expect, it, vi } from 'vitest';
import { mediaWorker } from '../../../tests/harness/src/stack/program.ts';
import { type Embedded, openEmbedded, openFiles, readStatus } from './__fixtures__/running-projector.ts';

const WAIT = { timeout: 60_000, interval: 20 };
// Never answers, whatever it is asked, and spins.
const endlessWorker = fileURLToPath(
  new URL('../../../packages/media/src/worker/__fixtures__/stuck.ts', import.meta.url),
);

let db: Database;
let openBus: Embedded['openBus'];
beforeAll(async () => {
  const embedded = await openEmbedded();
  ({ db, openBus } = embedded);
  return embedded.close;
});

async function readMessages({ tenantId }: Place) {
  const rows = await db.asWorker((tx) =>
    tx.query.outbox.findMany({ where: (table, { eq }) => eq(table.tenantId, tenantId) }),
  );
  return rows.map(({ state, attempts, claimedUntil }) => ({ state, attempts, isClaimed: claimedUntil !== null }));
}

it('a stop gives up the files in work, leaves no worker, and the next start inspects them, at their first attempt', async () => {
  const place = await createPlace(db);
  const { start, upload, workFolder } = await openFiles({ db, bus: openBus() });
  const files = ['one', 'two', 'three', 'four', 'five'].map((text) => upload(place, Buffer.from(text)));
  const ids = await Promise.all(files);
  // More often than a message is tried.
  for (let round = 1; round <= 6; round += 1) {
    const media = createMediaPool({
      workers: 1,
      workerPath: endlessWorker,
      processorTimeMs: 600_000,
      hangTimeMs: 600_000,
    });
    const projector = await start(media);
    // A tenant has three messages in hand here; two wait for the worker.
    await vi.waitUntil(async () => (await readdir(workFolder)).length === 3, WAIT);
    await vi.waitUntil(() => countProcesses(endlessWorker) > 0, WAIT);
    await projector.stop();
    await vi.waitUntil(() => countProcesses(endlessWorker) === 0, WAIT);
    expect(await readdir(workFolder)).toEqual([]);
    const waiting = { state: 'waiting', attempts: 0, isClaimed: false };
    expect(await readMessages(place)).toEqual(ids.map(() => waiting));
  }
  expect(await Promise.all(ids.map((id) => readStatus(db, place, id)))).toEqual(ids.map(() => 'pending'));
  await start(createMediaPool({ workers: 1, workerPath: mediaWorker }));
  for (const id of ids) await vi.waitUntil(async () => (await readStatus(db, place, id)) === 'ready', WAIT);
});
