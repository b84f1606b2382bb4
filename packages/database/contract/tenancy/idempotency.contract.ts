import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { dropDeadIdempotencyKeys } from '../../src/blob/blob-sweep.ts';
import type { Database, Tx } from '../../src/database.ts';
import {
  closeIdempotency,
  dropIdempotency,
  type IdempotencyKey,
  openIdempotency,
} from '../../src/idempotency/idempotency-writer.ts';
import { renewLease, takeReplica } from '../../src/session/owner/session-owner-writer.ts';
import { createPlace, createTenant, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const answer = { fingerprint: 'f1', status: 201, sealedAnswer: 'sealed' };

const newKey = (place: Place): IdempotencyKey => ({
  route: 'createSession',
  sessionId: place.sessionId,
  key: randomUUID(),
});

const open = (db: Database, tenantId: string, key: IdempotencyKey) => openIdempotency(db, tenantId, key);

/** One key, one effect. */
export function describeIdempotency({ useDb }: DatabaseSuite): void {
  const prepare = async () => {
    const db = useDb();
    const place = await createPlace(db);
    const key = newKey(place);
    const inTenant = <T>(work: (tx: Tx) => Promise<T>) => db.asTenant(place.tenantId, work);
    return { db, place, key, inTenant, open: () => open(db, place.tenantId, key) };
  };

  it('is opened once, in progress until closed, and then gives the kept answer [W2 DL-44]', async () => {
    const { key, inTenant, open: openAgain } = await prepare();
    expect(await openAgain()).toEqual({ state: 'opened' });
    expect(await openAgain()).toMatchObject({ state: 'in-progress' });
    await inTenant((tx) => closeIdempotency(tx, key, answer));
    expect(await openAgain()).toEqual({ state: 'done', ...answer });
  });

  it('is won by exactly one of many at once [W2]', async () => {
    const { open: openOnce } = await prepare();
    const states = (await Promise.all(Array.from({ length: 10 }, openOnce))).map(({ state }) => state);
    expect(states.filter((state) => state === 'opened')).toHaveLength(1);
    expect(states.filter((state) => state === 'in-progress')).toHaveLength(9);
  });

  it('is closed only by the request that holds it: what another one did is rolled back [W2 DL-44]', async () => {
    const { db, place, key, inTenant } = await prepare();
    const holder = { replicaId: randomUUID(), incarnation: randomUUID() };
    await takeReplica(db, { ...holder, leaseMs: 60_000 });
    const first = { ...key, holder: holder.incarnation, ticket: randomUUID() };
    const second = { ...key, holder: randomUUID(), ticket: randomUUID() };
    await open(db, place.tenantId, first);
    expect(await open(db, place.tenantId, second)).toMatchObject({ state: 'in-progress' });
    await renewLease(db, { ...holder, leaseMs: -1, state: 'active' });
    expect(await open(db, place.tenantId, second)).toEqual({ state: 'opened' });
    const act = (by: IdempotencyKey) =>
      inTenant(async (tx) => {
        await tx.execute(sql`update session set metadata = metadata || ${JSON.stringify({ [by.ticket ?? '']: true })}::jsonb
          where id = ${place.sessionId}::uuid`);
        await closeIdempotency(tx, by, answer);
      });
    await expect(act(first)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS', retryable: true });
    await act(second);
    await expect(act(first)).rejects.toMatchObject({ code: 'IDEMPOTENCY_IN_PROGRESS' });
    const found = await inTenant((tx) => tx.query.session.findFirst({ columns: { metadata: true } }));
    expect(found?.metadata).toEqual({ [second.ticket]: true });
  });

  it('stays with a living holder, however long that takes [W2]', async () => {
    const { db, place, key, inTenant } = await prepare();
    const holder = { replicaId: randomUUID(), incarnation: randomUUID() };
    await takeReplica(db, { ...holder, leaseMs: 60_000 });
    const held = { ...key, holder: holder.incarnation, ticket: randomUUID() };
    await open(db, place.tenantId, held);
    await inTenant((tx) =>
      tx.execute(sql`update idempotency set expires_at = now() - interval '1 day' where key = ${key.key}`),
    );
    expect(await open(db, place.tenantId, { ...held, ticket: randomUUID() })).toMatchObject({ state: 'in-progress' });
    await inTenant((tx) => closeIdempotency(tx, held, answer));
  });

  it("is one principal's: another one gets neither its answer nor an effect [DL-44]", async () => {
    const { db, place, key, inTenant } = await prepare();
    const ours = { ...key, principal: 'ours', ticket: randomUUID() };
    const theirs = { ...key, principal: 'theirs', ticket: randomUUID() };
    await open(db, place.tenantId, ours);
    expect(await open(db, place.tenantId, theirs)).toMatchObject({ state: 'reused' });
    await inTenant((tx) => closeIdempotency(tx, ours, answer));
    expect(await open(db, place.tenantId, theirs)).toMatchObject({ state: 'reused', sealedAnswer: null });
    expect(await open(db, place.tenantId, ours)).toEqual({ state: 'done', ...answer });
  });

  it('is free again when it is dropped [W2]', async () => {
    const { key, inTenant, open: openAgain } = await prepare();
    expect(await openAgain()).toEqual({ state: 'opened' });
    await inTenant((tx) => dropIdempotency(tx, key));
    expect(await openAgain()).toEqual({ state: 'opened' });
  });

  it('keeps its answer when someone drops it late', async () => {
    const { key, inTenant, open: openAgain } = await prepare();
    await openAgain();
    await inTenant((tx) => closeIdempotency(tx, key, answer));
    await inTenant((tx) => dropIdempotency(tx, key));
    expect(await openAgain()).toMatchObject({ state: 'done' });
  });

  it('means nothing in another tenant, route or session [DL-44 S29]', async () => {
    const { db, place, key, open: openFirst } = await prepare();
    await openFirst();
    expect(await open(db, await createTenant(db), key)).toEqual({ state: 'opened' });
    expect(await open(db, place.tenantId, { ...key, route: 'sendMessage' })).toEqual({ state: 'opened' });
    expect(await open(db, place.tenantId, { ...key, sessionId: randomUUID() })).toEqual({ state: 'opened' });
  });

  it('starts again after its time', async () => {
    const { key, inTenant, open: openAgain } = await prepare();
    await openAgain();
    await inTenant((tx) => closeIdempotency(tx, key, answer));
    await inTenant((tx) =>
      tx.execute(sql`update idempotency set expires_at = now() - interval '1 second' where key = ${key.key}`),
    );
    expect(await openAgain()).toEqual({ state: 'opened' });
    expect(await openAgain()).toEqual({ state: 'in-progress', fingerprint: null, status: null, sealedAnswer: null });
  });

  it('in progress is freed by a sweep after a crash; a kept answer stays', async () => {
    const { db, place, inTenant, open: openAgain } = await prepare();
    const kept = newKey(place);
    await openAgain();
    await open(db, place.tenantId, kept);
    await inTenant((tx) => closeIdempotency(tx, kept, answer));
    const openedBefore = new Date(Date.now() + 60_000);
    expect(await dropDeadIdempotencyKeys(db, place.tenantId, { openedBefore, limit: 10 })).toBe(1);
    expect(await openAgain()).toEqual({ state: 'opened' });
    expect(await open(db, place.tenantId, kept)).toMatchObject({ state: 'done' });
  });
}
