import { randomUUID } from 'node:crypto';
import { tenantSchema, uuidFromId } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { findRaw } from '../../src/attachment/raw-reader.ts';
import { reserveUpload } from '../../src/attachment/upload-writer.ts';
import type { Database } from '../../src/database.ts';
import { insertApiKey, revokeApiKey, shortenApiKey } from '../../src/keys/api-key-writer.ts';
import { findTokenHolder, type TokenHolder } from '../../src/keys/token-holder-reader.ts';
import { insertParticipant, raiseTokenGeneration, upsertUser } from '../../src/session/session-writer.ts';
import { findTenantByName, isTenantActive, listTenants, readTenant } from '../../src/tenancy/tenant-reader.ts';
import { restoreTenant, setTenantLimits, suspendTenant } from '../../src/tenancy/tenant-writer.ts';
import {
  createAttachment,
  createPlace,
  createTenant,
  createVariant,
  newReservation,
  sha256,
} from '../__fixtures__/database-fixtures.ts';
import { INSUFFICIENT_PRIVILEGE, refusalOf } from '../connection/refusals.contract.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

async function addHolder(db: Database) {
  const { tenantId, sessionId } = await createPlace(db);
  const externalUserId = 'user-1';
  const userId = await db.asTenant(tenantId, async (tx) => {
    const id = await upsertUser(tx, { tenantId, externalUserId });
    await insertParticipant(tx, { tenantId, sessionId, userId: id, rights: ['events:read'] });
    return id;
  });
  const holder: TokenHolder = { tenantId, sessionId, userId, sessionGeneration: 1, participantGeneration: 1 };
  return { tenantId, externalUserId, holder };
}

const suspend = (db: Database, tenantId: string) => db.asTenant(tenantId, suspendTenant);
const restore = (db: Database, tenantId: string) => db.asTenant(tenantId, restoreTenant);

/** Tenants as the operator has them, and what a suspension means to each credential. */
export function describeTenants(suite: DatabaseSuite): void {
  describe('of the operator', () => describeOperating(suite));
  describe('suspended', () => describeSuspension(suite));
}

function describeOperating({ useDb }: DatabaseSuite): void {
  it('are found by name, and listed page by page without a look inside [S29]', async () => {
    const db = useDb();
    const made = [await createTenant(db), await createTenant(db), await createTenant(db)];
    expect(await findTenantByName(db, `tenant-${made[0]}`)).toBe(made[0]);
    expect(await findTenantByName(db, randomUUID())).toBeUndefined();
    const ids: string[] = [];
    let afterName: string | undefined;
    do {
      const page = await listTenants(db, { afterName, limit: 7 });
      for (const tenant of page) expect(tenantSchema.parse(tenant)).toEqual(tenant);
      ids.push(...page.map(({ id }) => uuidFromId(id)));
      afterName = page.at(-1)?.name;
    } while (afterName !== undefined);
    expect(ids).toEqual(expect.arrayContaining(made));
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('are listed to the worker role alone [S29]', async () => {
    const tenantId = await createTenant(useDb());
    const ask = useDb().asTenant(tenantId, (tx) => tx.execute(sql`select attache_tenants_after(null, 1)`).then());
    expect(await refusalOf(ask)).toBe(INSUFFICIENT_PRIVILEGE);
  });

  it('have limits that change one by one and go away again', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    const set = (limits: Parameters<typeof setTenantLimits>[1]) =>
      db.asTenant(tenantId, async (tx) => {
        await setTenantLimits(tx, limits);
        return readTenant(tx);
      });
    expect(await set({ maxUploadBytes: 10 })).toMatchObject({ maxUploadBytes: 10, status: 'active' });
    expect(await set({ quotaBytes: 20 })).toMatchObject({ maxUploadBytes: 10, quotaBytes: 20 });
    const cleared = await set({ maxUploadBytes: null });
    expect([cleared?.maxUploadBytes, cleared?.quotaBytes]).toEqual([undefined, 20]);
    expect(await set({})).toEqual(cleared);
  });

  it('admit by their quota exactly what fits, however many ask at once [S32]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await db.asTenant(place.tenantId, (tx) => setTenantLimits(tx, { quotaBytes: 1_000 }));
    const ask = () => reserveUpload(db, newReservation(place, { reserveBytes: 300 }));
    const outcomes = (await Promise.all(Array.from({ length: 20 }, ask))).map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === 'reserved')).toHaveLength(3);
    expect(outcomes.filter((outcome) => outcome === 'quota-exceeded')).toHaveLength(17);
  });
}

function describeSuspension({ useDb }: DatabaseSuite): void {
  it('are suspended once and restored once [S31]', async () => {
    const db = useDb();
    const tenantId = await createTenant(db);
    expect(await isTenantActive(db, tenantId)).toBe(true);
    expect([await suspend(db, tenantId), await suspend(db, tenantId)]).toEqual([true, false]);
    expect(await isTenantActive(db, tenantId)).toBe(false);
    expect(await db.asTenant(tenantId, readTenant)).toMatchObject({ status: 'suspended' });
    expect([await restore(db, tenantId), await restore(db, tenantId)]).toEqual([true, false]);
    expect(await isTenantActive(db, tenantId)).toBe(true);
    expect(await isTenantActive(db, randomUUID())).toBe(false);
  });

  it('have no participants for a session token, until they are restored [S31]', async () => {
    const db = useDb();
    const { tenantId, holder } = await addHolder(db);
    const find = () => findTokenHolder(db, holder);
    const found = { rights: ['events:read'], maxUploadBytes: null, urlGeneration: 1, isSessionEnded: false };
    expect(await find()).toEqual(found);
    const upload = { sessionStatus: 'active', freeBytes: null };
    expect(await findTokenHolder(db, { ...holder, isUpload: true })).toEqual({ ...found, upload });
    expect(await findTokenHolder(db, { ...holder, isLog: true })).toEqual({ ...found, log: { lastSeq: 0 } });
    expect(await findTokenHolder(db, { ...holder, userId: randomUUID() })).toBeNull();
    expect(await findTokenHolder(db, { ...holder, tenantId: await createTenant(db) })).toBeNull();
    await suspend(db, tenantId);
    expect(await find()).toBeNull();
    await restore(db, tenantId);
    await db.asTenant(tenantId, (tx) => tx.execute(sql`update session set deleted_at = now()`).then());
    expect(await find()).toBeNull();
  });

  it('know no holder of a token of an earlier generation, or by a key that was revoked; a rotated one ends none [BX-09]', async () => {
    const db = useDb();
    const { tenantId, holder, externalUserId } = await addHolder(db);
    const find = (given: Partial<TokenHolder> = {}) => findTokenHolder(db, { ...holder, ...given });
    const raise = (user?: string) => db.asTenant(tenantId, (tx) => raiseTokenGeneration(tx, holder.sessionId, user));
    await raise('somebody else');
    expect(await find()).not.toBeNull();
    await raise(externalUserId);
    expect([await find(), (await find({ participantGeneration: 2 }))?.rights]).toEqual([null, ['events:read']]);
    await raise();
    expect(await find({ participantGeneration: 2 })).toBeNull();
    const keyId = randomUUID();
    const key = {
      tenantId,
      id: keyId,
      name: 'a key',
      secretHash: 'hash',
      scopes: ['sessions' as const],
      trustedTrace: false,
    };
    await db.asTenant(tenantId, (tx) => insertApiKey(tx, key));
    const byKey = () => find({ participantGeneration: 2, sessionGeneration: 2, keyId });
    await db.asTenant(tenantId, (tx) => shortenApiKey(tx, keyId, 0));
    expect(await byKey()).not.toBeNull();
    await db.asTenant(tenantId, (tx) => revokeApiKey(tx, keyId));
    expect(await byKey()).toBeNull();
  });

  it('say so to a signed URL, whose look-up tells all that its answer needs [S31]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const { attachmentId } = await createAttachment(db, place, { name: 'cat.png' });
    const variantId = randomUUID();
    await createVariant(db, place.tenantId, variantId);
    const found = await findRaw(db, attachmentId, variantId);
    expect(found).toMatchObject({ tenantId: place.tenantId, isSuspended: false, isDeleted: false, urlGeneration: 1 });
    expect(found).toMatchObject({ name: 'cat.png', status: 'pending', encoding: null });
    expect(found?.original).toMatchObject({ mimeType: 'image/png', sizeBytes: 42, sha256 });
    expect(found?.variant).toMatchObject({ mimeType: 'image/webp', sizeBytes: 7 });
    expect(await findRaw(db, attachmentId, randomUUID())).toMatchObject({ variant: null });
    expect(await findRaw(db, attachmentId)).toMatchObject({ variant: null });
    expect(await findRaw(db, randomUUID())).toBeNull();
    await suspend(db, place.tenantId);
    expect(await findRaw(db, attachmentId)).toMatchObject({ isSuspended: true });
  });
}
