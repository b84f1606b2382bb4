import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { dropDeadIdempotencyKeys } from './blob-sweep.ts';
import type { Database, Tx } from './database.ts';
import { createPlace, createTenant, type Place } from './database-fixtures.ts';
import type { DatabaseSuite } from './database-suite.contract.ts';
import { closeIdempotency, dropIdempotency, type IdempotencyKey, openIdempotency } from './idempotency-writer.ts';

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

  it('starts anew after its time', async () => {
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
    await dropDeadIdempotencyKeys(db, place.tenantId);
    expect(await openAgain()).toEqual({ state: 'opened' });
    expect(await open(db, place.tenantId, kept)).toMatchObject({ state: 'done' });
  });
}
