import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, findDelivery, listDeadLetters, replayDeadLetter } from '@attache/database';
import { createAttachment, createDelivery, createPlace, type Place } from '@attache/database/contract';
import { createLogger } from '@attache/telemetry';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { type Embedded, openEmbedded } from './__fixtures__/running-projector.ts';
import { startProjector } from './projector.ts';
import type { ProjectorDeps } from './projector-deps.ts';

const WAIT = { timeout: 60_000, interval: 20 };
const log = createLogger({ service: 'test', level: 'silent' });

let db: Database;
let openBus: Embedded['openBus'];
beforeAll(async () => {
  const embedded = await openEmbedded();
  ({ db, openBus } = embedded);
  return embedded.close;
});

/** A projector that hits a bug in the first message that it reads, until the bug is fixed. */
async function startFaulty(): Promise<{ mend(): void }> {
  let isFaulty = true;
  const orBug = <T>(work: () => Promise<T>): Promise<T> =>
    isFaulty ? Promise.reject(new TypeError('cannot read properties of undefined')) : work();
  const faulty: Database = {
    ...db,
    call: (statement, options) => orBug(() => db.call(statement, options)),
    readAsTenant: (tenantId, work) => orBug(() => db.readAsTenant(tenantId, work)),
  };
  const workFolder = await mkdtemp(join(tmpdir(), 'dead-messages-'));
  onTestFinished(() => rm(workFolder, { recursive: true, force: true }));
  const projector = await startProjector({
    ...{ db: faulty, bus: openBus(), log, concurrency: 2 },
    workFolder,
    media: { async [Symbol.asyncDispose]() {} },
  } as unknown as ProjectorDeps);
  onTestFinished(() => projector.stop());
  return {
    mend() {
      isFaulty = false;
    },
  };
}

async function readDelivery({ tenantId }: Place, deliveryId: string) {
  const row = await db.readAsTenant(tenantId, (tx) => findDelivery(tx, deliveryId));
  if (!row) throw new Error('the delivery is gone');
  return row;
}

const readStatus = ({ tenantId }: Place, id: string) =>
  db.readAsTenant(tenantId, async (tx) => {
    const row = await tx.query.attachment.findFirst({ where: (table, { eq }) => eq(table.id, id) });
    return row?.status;
  });

it('fails the delivery and rejects the attachment whose message dies of a bug, until they are replayed [W10 DL-42]', async () => {
  const place = await createPlace(db);
  const { attachmentId } = await createAttachment(db, place);
  const { deliveryId } = await createDelivery(db, place);
  const { mend } = await startFaulty();
  await vi.waitUntil(async () => (await readDelivery(place, deliveryId)).status === 'failed', WAIT);
  await vi.waitUntil(async () => (await readStatus(place, attachmentId)) === 'rejected', WAIT);
  const { failure } = await readDelivery(place, deliveryId);
  expect(failure).toMatchObject({ retryable: true });
  mend();
  const { items } = await listDeadLetters(db, { tenantId: place.tenantId, limit: 10 });
  expect(items.map(({ subject }) => subject).toSorted()).toEqual(['attachment.added', 'delivery.queued']);
  const letter = items.find(({ id }) => id === failure?.safeDetails?.deadLetter);
  await replayDeadLetter(db, { tenantId: place.tenantId, id: letter?.id ?? '', consumer: 'projector' });
  await vi.waitUntil(async () => (await readDelivery(place, deliveryId)).status === 'prepared', WAIT);
  expect((await readDelivery(place, deliveryId)).attempts).toBe(2);
});
