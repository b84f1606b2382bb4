import { readdir } from 'node:fs/promises';
import { idFromUuid, type PagesRecipe, type PlanItem } from '@attache/contracts';
import { acceptMessage, type Database, deleteAttachment, findDelivery, type NewMessage } from '@attache/database';
import { createPlace, newMessage, type Place } from '@attache/database/contract';
import type { MediaPool } from '@attache/media';
import { beforeAll, expect, it, vi } from 'vitest';
import { type Embedded, openEmbedded, openFiles, readStatus } from './__fixtures__/running-projector.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const bytes = Buffer.from('what was uploaded');

let db: Database;
let openBus: Embedded['openBus'];
beforeAll(async () => {
  const embedded = await openEmbedded();
  ({ db, openBus } = embedded);
  return embedded.close;
});

/** Workers that never come back by themselves, as with a file that takes for ever. Only what is `endless` does; the rest is ready at once. */
function createEndlessMedia(endless: 'inspect' | 'make') {
  const begun: string[] = [];
  const givenUp: string[] = [];
  const work = (name: string, signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      begun.push(name);
      signal?.addEventListener('abort', () => {
        givenUp.push(name);
        reject(signal.reason);
      });
    });
  const media: MediaPool = {
    async inspect({ signal, sizeBytes }) {
      if (endless === 'inspect' && sizeBytes === bytes.length) return work('inspect', signal);
      return { status: 'ready', mimeType: 'application/pdf', kind: 'document', facts: { pages: 2 }, warnings: [] };
    },
    makeVariant: ({ signal, recipe }) => work(recipe.purpose, signal),
    async [Symbol.asyncDispose]() {},
  };
  return { media, begun, givenUp };
}

async function startEndless(place: Place, endless: 'inspect' | 'make') {
  const { media, begun, givenUp } = createEndlessMedia(endless);
  const { workFolder, start, upload } = await openFiles({ db, bus: openBus() });
  await start(media);
  return { begun, givenUp, upload: (content = bytes) => upload(place, content), workFolder };
}

const remove = ({ tenantId }: Place, id: string) => db.asTenant(tenantId, (tx) => deleteAttachment(tx, id));
const isReady = async (place: Place, id: string): Promise<boolean> => (await readStatus(db, place, id)) === 'ready';

function askForPages(place: Place, attachmentId: string): NewMessage {
  const message = newMessage(place, [attachmentId]);
  const recipe: PagesRecipe = {
    ...{ purpose: 'page-images', pages: 2, mimeType: 'image/jpeg', maxEdgePixels: 100, maxBytes: 100_000 },
  };
  const checks = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' } as const;
  const item: PlanItem = {
    ...{ attachmentId: idFromUuid('attachment', attachmentId), becomes: 'pages', checks, recipe, warnings: [] },
  };
  const [delivery] = message.deliveries;
  return { ...message, deliveries: delivery ? [{ ...delivery, plan: { ...delivery.plan, items: [item] } }] : [] };
}

it('gives up the inspection of an attachment that is deleted meanwhile, and continues with the next one [DL-81]', async () => {
  const place = await createPlace(db);
  const { begun, givenUp, upload, workFolder } = await startEndless(place, 'inspect');
  const removed = await upload();
  await vi.waitUntil(() => begun.length > 0, WAIT);
  await remove(place, removed);
  const next = await upload(Buffer.from('another file, of another size'));
  await vi.waitUntil(() => isReady(place, next), WAIT);
  await vi.waitUntil(() => givenUp.length > 0, WAIT);
  expect(givenUp).toEqual(['inspect']);
  await vi.waitUntil(async () => (await readdir(workFolder)).length === 0, WAIT);
});

it('gives up the variants of a deleted attachment, drops what was made, and fails their delivery by code [DL-81 DL-40]', async () => {
  const place = await createPlace(db);
  const { begun, givenUp, upload, workFolder } = await startEndless(place, 'make');
  const attachmentId = await upload();
  await vi.waitUntil(() => isReady(place, attachmentId), WAIT);
  const message = askForPages(place, attachmentId);
  await acceptMessage(db, message);
  await vi.waitUntil(() => begun.length === 2, WAIT);
  await remove(place, attachmentId);
  const read = () => db.readAsTenant(place.tenantId, (tx) => findDelivery(tx, message.deliveries[0]?.id ?? ''));
  await vi.waitUntil(async () => (await read())?.status === 'failed', WAIT);
  expect((await read())?.failure).toMatchObject({ code: 'attachment_missing', retryable: false });
  expect(givenUp).toEqual(['page-image', 'page-image']);
  expect(await readdir(workFolder)).toEqual([]);
});
