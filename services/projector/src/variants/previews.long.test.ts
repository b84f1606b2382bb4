import { readdir } from 'node:fs/promises';
import { type Database, deleteAttachment } from '@attache/database';
import { createPlace, type Place } from '@attache/database/contract';
import type { MediaPool } from '@attache/media';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Embedded, openEmbedded, openFiles, readStatus } from '../__fixtures__/running-projector.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const PICTURES = 12;
/** For one tenant. */
const IN_WORK = 4;

let db: Database;
let openBus: Embedded['openBus'];
beforeAll(async () => {
  const embedded = await openEmbedded();
  ({ db, openBus } = embedded);
  return embedded.close;
});

/** Inspections end at once. A preview takes until the pool is closed, and then fails. */
function holdPreviews() {
  const held = Promise.withResolvers<void>();
  const begun: (boolean | undefined)[] = [];
  const media: MediaPool = {
    inspect: async () => ({ status: 'ready', mimeType: 'image/png', kind: 'image', facts: {}, warnings: [] }),
    async makeVariant({ signal, yields }) {
      begun.push(yields);
      const gone = new Promise<never>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      });
      await Promise.race([held.promise, gone]);
      throw new Error('no preview in this test');
    },
    async [Symbol.asyncDispose]() {
      held.resolve();
    },
  };
  return { media, begun };
}

async function startHeld(place: Place) {
  const { media, begun } = holdPreviews();
  const { start, upload, workFolder } = await openFiles({ db, bus: openBus() });
  const projector = await start(media);
  const ids: string[] = [];
  for (let number = 0; number < PICTURES; number += 1) ids.push(await upload(place, Buffer.from(`picture ${number}`)));
  const countReady = async () =>
    (await Promise.all(ids.map((id) => readStatus(db, place, id)))).filter((status) => status === 'ready').length;
  await vi.waitUntil(async () => (await countReady()) === PICTURES, WAIT);
  return { projector, begun, ids, workFolder };
}

/** One after the other: each first reads whether it has been made. */
const waitUntilBegun = (begun: readonly unknown[]) => vi.waitUntil(() => begun.length === IN_WORK, WAIT);

it('makes all pictures ready while no preview ends, has previews yield to others, and leaves no file when it stops', async () => {
  const place = await createPlace(db);
  const { projector, begun, workFolder } = await startHeld(place);
  await waitUntilBegun(begun);
  expect(begun).toEqual([true, true, true, true]);
  expect((await readdir(workFolder)).length).toBeGreaterThanOrEqual(PICTURES);
  await projector.stop();
  expect(await readdir(workFolder)).toEqual([]);
});

it('gives up the preview of an attachment that is deleted meanwhile, and begins none of one that was [DL-81]', async () => {
  const place = await createPlace(db);
  const { begun, ids, workFolder } = await startHeld(place);
  await waitUntilBegun(begun);
  // All at once: a preview that is given up makes room for the next.
  await db.asTenant(place.tenantId, async (tx) => {
    for (const id of ids) await deleteAttachment(tx, id);
  });
  await vi.waitUntil(async () => (await readdir(workFolder)).length === 0, WAIT);
  expect(begun.length).toBe(IN_WORK);
});

it('begins no preview before no message has come for a moment', async () => {
  const place = await createPlace(db);
  const nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(nowMs);
  onTestFinished(() => clock.mockRestore());
  const { begun } = await startHeld(place);
  // It looks at the clock again and again, and none begins.
  clock.mockClear();
  await vi.waitUntil(() => clock.mock.calls.length >= 3, WAIT);
  expect(begun).toEqual([]);
  clock.mockReturnValue(nowMs + 100);
  await waitUntilBegun(begun);
});
