import { randomUUID } from 'node:crypto';
import type { DeliveryPlan } from '@attache/contracts';
import { type Held, heldNothing } from '@attache/domain';
import { eq, sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { findProjectionJob, readWaitingProjection } from '../../src/attachment/projection-job-reader.ts';
import {
  deleteProjectionJob,
  insertProjectionJob,
  settleProjectionJob,
} from '../../src/attachment/projection-job-writer.ts';
import { forgetVariant } from '../../src/attachment/variant-writer.ts';
import type { Database } from '../../src/database.ts';
import { type DeliveryRow, findDelivery } from '../../src/delivery/delivery-reader.ts';
import { readMessages } from '../../src/message/message-reader.ts';
import { acceptMessage } from '../../src/message/message-writer.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { delivery } from '../../src/schema.ts';
import { emptyContext, setAgentTarget } from '../../src/session/agent-writer.ts';
import { findOverride } from '../../src/tenancy/capability-override-reader.ts';
import { deleteOverride, saveOverride } from '../../src/tenancy/capability-override-writer.ts';
import {
  createAttachment,
  createDelivery,
  createPlace,
  createVariant,
  newMessage,
  newPlan,
  type Place,
} from '../__fixtures__/database-fixtures.ts';
import { plantedFailure, takeFact } from '../__fixtures__/take-fact.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const author = { type: 'service', id: 'ingest' } as const;
const place = (profile: string, model: string) => ({ profile, model });

/** A tenant's overrides for models, the content that agents hold, and jobs for model APIs. */
export function describeCapabilities(suite: DatabaseSuite): void {
  describeOverrides(suite);
  describeResident(suite);
  describeProjectionJobs(suite);
  describeLostVariants(suite);
}

function describeOverrides({ useDb }: DatabaseSuite): void {
  it('keeps one word of a tenant on a model, the last one, and reads it with what a message names [BX-05 S29]', async () => {
    const db = useDb();
    const mine = await createPlace(db);
    const theirs = await createPlace(db);
    const { tenantId, sessionId, agentId } = mine;
    const read = async ({ tenantId, sessionId, agentId }: Place) =>
      (await readNamed(db, { tenantId, sessionId, agentIds: [agentId], attachmentIds: [] }))?.overrides;
    await db.asTenant(tenantId, async (tx) => {
      await saveOverride(tx, {
        tenantId,
        ...place('example', 'm'),
        capability: { image: false },
        reason: 'first',
        author,
      });
      await saveOverride(tx, {
        tenantId,
        ...place('example', 'm'),
        capability: { image: true },
        reason: 'seen',
        author,
      });
    });
    expect((await read(mine))?.of(place('example', 'm'))).toMatchObject({
      capability: { image: true },
      reason: 'seen',
    });
    expect((await read(mine))?.of(place('example', 'other'))).toBeUndefined();
    expect((await read(theirs))?.of(place('example', 'm'))).toBeUndefined();
    await db.asTenant(tenantId, async (tx) => {
      expect(await findOverride(tx, place('example', 'm'))).toMatchObject({ author, reason: 'seen' });
      expect(await deleteOverride(tx, place('example', 'm'))).toBe(true);
      expect(await deleteOverride(tx, place('example', 'm'))).toBe(false);
      const other = { profile: 'p', runtime: 'acp', provider: 'q', model: 'r' } as const;
      const version = 1;
      expect(await setAgentTarget(tx, { sessionId, agentId, version }, other)).toBe(true);
      expect(await setAgentTarget(tx, { sessionId, agentId, version }, other)).toBe(false);
      expect(await setAgentTarget(tx, { sessionId, agentId: randomUUID(), version }, other)).toBe(false);
    });
    const named = await readNamed(db, { tenantId, sessionId, agentIds: [agentId], attachmentIds: [] });
    expect(named?.agents[0]).toMatchObject({ profile: 'p', runtime: 'acp', provider: 'q', model: 'r' });
  });
}

const budget: DeliveryPlan['budget'] = {
  bytes: { used: 1000, limit: 5000, resident: 0 },
  images: { used: 2, limit: 20, resident: 0 },
};

async function send(db: Database, at: Place): Promise<string> {
  const message = newMessage(at);
  const [delivery] = message.deliveries;
  if (!delivery) throw new Error('the message has no delivery');
  await acceptMessage(db, { ...message, deliveries: [{ ...delivery, plan: { ...newPlan(at.agentId), budget } }] });
  return delivery.id;
}

async function readResident(db: Database, { tenantId, sessionId, agentId }: Place, attachmentId: string) {
  const named = await readNamed(db, { tenantId, sessionId, agentIds: [agentId], attachmentIds: [attachmentId] });
  return named?.resident.get(agentId);
}

/** A delivery that failed after its first byte, as its row shows it. */
async function failAfter(
  db: Database,
  tenantId: string,
  id: string,
  set: { writingAt: Date; held?: Held },
): Promise<DeliveryRow> {
  const read = () => db.readAsTenant(tenantId, (tx) => findDelivery(tx, id));
  const row = await read();
  if (!row) throw new Error('the delivery is gone');
  await takeFact(db, row, { kind: 'plan-failed', failure: plantedFailure });
  await db.asTenant(tenantId, (tx) => tx.update(delivery).set(set).where(eq(delivery.id, id)));
  return (await read()) ?? row;
}

function describeResident({ useDb }: DatabaseSuite): void {
  it('sums what an agent holds: what waits, and what was written since it started [BX-01 SR-05]', async () => {
    const db = useDb();
    const at = await createPlace(db);
    const { tenantId, sessionId, agentId } = at;
    const { attachmentId } = await createAttachment(db, at);
    const read = async (attachmentIds = [attachmentId]) =>
      (await readNamed(db, { tenantId, sessionId, agentIds: [agentId], attachmentIds }))?.resident.get(agentId);
    expect(await read()).toBeUndefined();
    const first = await send(db, at);
    expect(await read()).toEqual({ bytes: 1000, imageBytes: 0, pixels: 0, images: 2, pages: 0 });
    await send(db, at);
    expect(await read()).toMatchObject({ bytes: 2000, images: 4 });
    expect(await read([])).toBeUndefined();
    const finish = (writingAt: Date) => failAfter(db, tenantId, first, { writingAt });
    await db.asTenant(tenantId, (tx) => emptyContext(tx, agentId));
    await finish(new Date(Date.now() + 60_000));
    expect(await read()).toMatchObject({ images: 4 });
    await db.asTenant(tenantId, (tx) =>
      tx.execute(sql`update delivery set writing_at = now() - interval '1 hour' where id = ${first}`),
    );
    expect(await read()).toMatchObject({ images: 2 });
  });

  it('counts what was measured at the write, not what the plan allowed for; nothing once it is forgotten [BX-01]', async () => {
    const db = useDb();
    const at = await createPlace(db);
    const { tenantId } = at;
    const { attachmentId } = await createAttachment(db, at);
    const read = () => readResident(db, at, attachmentId);
    const id = await send(db, at);
    const set = (held: Held | null) =>
      db.asTenant(tenantId, async (tx) => {
        await tx.update(delivery).set({ held }).where(eq(delivery.id, id));
      });
    await set({ bytes: 70, imageBytes: 50, pixels: 6, images: 1, pages: 3 });
    expect(await read()).toEqual({ bytes: 70, imageBytes: 50, pixels: 6, images: 1, pages: 3 });
    await set(heldNothing);
    expect(await read()).toEqual({ bytes: 0, imageBytes: 0, pixels: 0, images: 0, pages: 0 });
    await set(null);
    expect(await read()).toMatchObject({ bytes: 1000, images: 2 });
  });

  it('counts what attempts before left in a conversation that continues, beside the present one [BX-01]', async () => {
    const db = useDb();
    const at = await createPlace(db);
    const { tenantId, agentId } = at;
    const { attachmentId } = await createAttachment(db, at);
    const read = () => readResident(db, at, attachmentId);
    const id = await send(db, at);
    const measured = { bytes: 70, imageBytes: 50, pixels: 6, images: 1, pages: 3 };
    const failAndRetry = async () => {
      const failed = await failAfter(db, tenantId, id, { writingAt: new Date(Date.now() + 60_000), held: measured });
      await takeFact(db, failed, { kind: 'retried', actor: { type: 'service', id: 'ingest' } });
    };
    await db.asTenant(tenantId, (tx) => emptyContext(tx, agentId));
    await failAndRetry();
    expect(await read()).toEqual({ bytes: 1070, imageBytes: 50, pixels: 6, images: 3, pages: 3 });
    await failAndRetry();
    expect(await read()).toEqual({ bytes: 1140, imageBytes: 100, pixels: 12, images: 4, pages: 6 });
    // A later process, whose conversation has nothing of it.
    await db.asTenant(tenantId, (tx) =>
      tx.execute(sql`update agent set context_since = now() + interval '1 hour' where id = ${agentId}`),
    );
    expect(await read()).toEqual({ bytes: 1000, imageBytes: 0, pixels: 0, images: 2, pages: 0 });
  });

  it('reads messages of a session with what they name, in their order, and of no other session [S29]', async () => {
    const db = useDb();
    const at = await createPlace(db);
    const [a, b] = [await createAttachment(db, at), await createAttachment(db, at)];
    const { messageId } = await createDelivery(db, at, [b.attachmentId, a.attachmentId]);
    const other = await createPlace(db);
    const read = ({ tenantId, sessionId }: Place) =>
      db.asTenant(tenantId, (tx) => readMessages(tx, sessionId, [messageId]));
    expect(await read(at)).toEqual([{ id: messageId, text: 'hello', attachmentIds: [b.attachmentId, a.attachmentId] }]);
    expect(await read(other)).toEqual([]);
  });
}

function describeProjectionJobs({ useDb, takeRung }: DatabaseSuite): void {
  it('ends a job once, rings for it, and forgets what nobody fetched', async () => {
    const db = useDb();
    const { tenantId, sessionId, agentId } = await createPlace(db);
    const [jobId, stale] = [randomUUID(), randomUUID()];
    const insert = (id: string) =>
      db.asTenant(tenantId, (tx) => insertProjectionJob(tx, { tenantId, sessionId, id, plan: newPlan(agentId) }));
    await insert(stale);
    await db.asTenant(tenantId, (tx) =>
      tx.execute(sql`update projection_job set created_at = now() - interval '1 hour'`),
    );
    await insert(jobId);
    expect(await readWaitingProjection(db, { tenantId, jobId: stale })).toBeUndefined();
    expect(await readWaitingProjection(db, { tenantId, jobId })).toMatchObject({ id: jobId, state: 'waiting' });
    expect(await readWaitingProjection(db, { tenantId: (await createPlace(db)).tenantId, jobId })).toBeUndefined();
    takeRung();
    const job = { tenantId, sessionId, jobId, eventId: randomUUID() };
    expect(await settleProjectionJob(db, job, { state: 'done', parts: [{ type: 'text', text: 'x' }] })).toBe(true);
    expect(takeRung()).toContain(`log:${sessionId}`);
    expect(await settleProjectionJob(db, job, { state: 'done', parts: [] })).toBe(false);
    expect(await settleProjectionJob(db, { ...job, eventId: randomUUID() }, { state: 'done', parts: [] })).toBe(false);
    await db.asTenant(tenantId, async (tx) => {
      expect(await findProjectionJob(tx, jobId)).toMatchObject({ state: 'done', parts: [{ type: 'text', text: 'x' }] });
      await deleteProjectionJob(tx, jobId);
      expect(await findProjectionJob(tx, jobId)).toBeUndefined();
    });
  });
}

function describeLostVariants({ useDb }: DatabaseSuite): void {
  it('forgets a variant whose bytes are lost, once, and only the one with that blob [DL-53]', async () => {
    const db = useDb();
    const { tenantId } = await createPlace(db);
    const variantId = randomUUID();
    const { blobId } = await createVariant(db, tenantId, variantId);
    const usedBytes = () => db.asTenant(tenantId, async (tx) => (await tx.query.tenant.findFirst())?.usedBytes);
    const before = await usedBytes();
    await db.asTenant(tenantId, (tx) => forgetVariant(tx, variantId, 'another-key'));
    expect(await usedBytes()).toBe(before);
    await db.asTenant(tenantId, (tx) => forgetVariant(tx, variantId, `key-${blobId}`));
    await db.asTenant(tenantId, (tx) => forgetVariant(tx, variantId, `key-${blobId}`));
    expect(await usedBytes()).toBe((before ?? 0) - 7);
    expect(await createVariant(db, tenantId, variantId)).toMatchObject({ isNew: true });
  });
}
