import { randomUUID } from 'node:crypto';
import { apiKeySchema } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import type { Database } from '../../src/database.ts';
import { describeApiKey, findApiKey, hasSuccessor, listApiKeys, readApiKey } from '../../src/keys/api-key-reader.ts';
import {
  type ApiKeyInsert,
  insertApiKey,
  noteKeyUse,
  revokeApiKey,
  shortenApiKey,
} from '../../src/keys/api-key-writer.ts';
import { appendEvents } from '../../src/session/append-events.ts';
import { endSession } from '../../src/session/session-writer.ts';
import { createPlace, createTenant } from '../__fixtures__/database-fixtures.ts';
import { passMillisecond } from '../__fixtures__/pass-millisecond.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const newKey = (tenantId: string, given: Partial<ApiKeyInsert> = {}): ApiKeyInsert => ({
  ...{ tenantId, id: randomUUID(), name: 'ci', secretHash: 'hash', scopes: ['admin'], trustedTrace: false },
  ...given,
});

async function addKey(db: Database, given: Partial<ApiKeyInsert> = {}): Promise<ApiKeyInsert> {
  const key = newKey(given.tenantId ?? (await createTenant(db)), given);
  await db.asTenant(key.tenantId, (tx) => insertApiKey(tx, key));
  return key;
}

/** API keys: how the gate finds them, and what ends them. */
export function describeApiKeys(suite: DatabaseSuite): void {
  describe('at the gate', () => describeFinding(suite));
  describe('kept', () => describeKeeping(suite));
}

function describeFinding({ useDb }: DatabaseSuite): void {
  it('are found without a tenant, with all that the gate needs; unknown ones are not [S29]', async () => {
    const key = await addKey(useDb(), { scopes: ['sessions', 'read'], trustedTrace: true });
    expect(await findApiKey(useDb(), key.id)).toEqual({
      ...{ tenantId: key.tenantId, secretHash: 'hash', scopes: ['sessions', 'read'], trustedTrace: true },
      ...{ isUsable: true, maxUploadBytes: null, urlGeneration: 1, firstKeyId: key.id },
    });
    expect(await findApiKey(useDb(), randomUUID())).toBeNull();
  });

  it('bring what an upload to a session would be refused for, where one is named: nothing of another tenant’s [AT-15 S29]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const key = await addKey(db, { tenantId: place.tenantId });
    const find = async (sessionId: string) => (await findApiKey(db, key.id, { of: 'upload', sessionId }))?.upload;
    expect(await find(place.sessionId)).toEqual({ sessionStatus: 'active', freeBytes: null });
    await db.asTenant(place.tenantId, async (tx) => {
      await endSession(tx, place.sessionId);
      const usage = sql`used_bytes = 300, reserved_bytes = 100, condemned_bytes = 1500`;
      await tx.execute(sql`update tenant set quota_bytes = 1000, ${usage}`);
    });
    // Six hundred by the quota; a hundred by what twice of it may hold.
    expect(await find(place.sessionId)).toEqual({ sessionStatus: 'ended', freeBytes: 100 });
    expect(await find((await createPlace(db)).sessionId)).toMatchObject({ sessionStatus: null });
    expect(await findApiKey(db, randomUUID(), { of: 'upload', sessionId: place.sessionId })).toBeNull();
  });

  it('bring where the log of a session ends, where one is named: nothing of another tenant’s [BX-09]', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const key = await addKey(db, { tenantId: place.tenantId });
    const find = async (sessionId: string) => (await findApiKey(db, key.id, { of: 'log', sessionId }))?.log;
    const event = { kind: 'session.ended', actor: { type: 'service', id: 'ingest' }, data: {} } as const;
    expect(await find(place.sessionId)).toEqual({ lastSeq: 0 });
    await db.asTenant(place.tenantId, (tx) => appendEvents(tx, place.sessionId, [event, event]));
    expect(await find(place.sessionId)).toEqual({ lastSeq: 2 });
    expect([await find((await createPlace(db)).sessionId), await find(randomUUID())]).toEqual([null, null]);
    expect(await findApiKey(db, randomUUID(), { of: 'log', sessionId: place.sessionId })).toBeNull();
    await db.asTenant(place.tenantId, (tx) => tx.execute(sql`update session set deleted_at = now()`).then());
    expect(await find(place.sessionId)).toBeNull();
  });

  it('name the key that rotations led from, however many [DL-44]', async () => {
    const first = await addKey(useDb());
    const { tenantId } = first;
    const second = await addKey(useDb(), { tenantId, rotatedFrom: first.id });
    const third = await addKey(useDb(), { tenantId, rotatedFrom: second.id });
    expect((await findApiKey(useDb(), third.id))?.firstKeyId).toBe(first.id);
  });

  it.each([
    ['revoked', sql`update api_key set revoked_at = now()`],
    ['expired', sql`update api_key set expires_at = now() - interval '1 second'`],
    ['of a deleted tenant', sql`update tenant set deleted_at = now()`],
    ['of a suspended tenant', sql`update tenant set suspended_at = now()`],
  ])('are not usable when %s [S31]', async (_name, statement) => {
    const key = await addKey(useDb());
    await useDb().asTenant(key.tenantId, (tx) => tx.execute(statement).then());
    expect(await findApiKey(useDb(), key.id)).toMatchObject({ isUsable: false });
  });
}

function describeKeeping({ useDb }: DatabaseSuite): void {
  it('keep the time of their last use, to the minute', async () => {
    const db = useDb();
    const { tenantId, id } = await addKey(db);
    const read = async () => {
      const row = await db.asTenant(tenantId, (tx) => readApiKey(tx, id));
      if (!row) throw new Error('the key is gone');
      return describeApiKey(row, new Date());
    };
    const note = () => db.asTenant(tenantId, (tx) => noteKeyUse(tx, id));
    expect(await read()).not.toHaveProperty('lastUsedAt');
    await note();
    const { lastUsedAt } = await read();
    expect(apiKeySchema.strict().parse(await read()).lastUsedAt).toBe(lastUsedAt);
    await note();
    expect((await read()).lastUsedAt).toBe(lastUsedAt);
    const past = sql`update api_key set last_used_at = last_used_at - interval '61 seconds'`;
    await db.asTenant(tenantId, (tx) => tx.execute(past));
    await note();
    expect(Date.parse((await read()).lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(lastUsedAt ?? ''));
    await db.asTenant(await createTenant(db), (tx) => noteKeyUse(tx, id));
  });

  it('end once, at once, and stay in the list [S31]', async () => {
    const { tenantId, id } = await addKey(useDb());
    const revoke = () => useDb().asTenant(tenantId, (tx) => revokeApiKey(tx, id));
    expect([await revoke(), await revoke()]).toEqual([true, false]);
    expect(await findApiKey(useDb(), id)).toMatchObject({ isUsable: false });
    const [row] = await useDb().asTenant(tenantId, (tx) => listApiKeys(tx, { limit: 10 }));
    const described = row && describeApiKey(row, new Date());
    expect(described).toMatchObject({ status: 'revoked', name: 'ci' });
    expect(apiKeySchema.parse(described)).toEqual(described);
  });

  it('end with the overlap of a rotation, never later than they would have [S31]', async () => {
    const soon = new Date(Date.now() + 60_000);
    const { tenantId, id } = await addKey(useDb(), { expiresAt: soon });
    const shorten = (seconds: number) => useDb().asTenant(tenantId, (tx) => shortenApiKey(tx, id, seconds));
    const read = () => useDb().asTenant(tenantId, (tx) => readApiKey(tx, id));
    await shorten(3600);
    expect((await read())?.expiresAt).toEqual(soon);
    await shorten(0);
    expect(await findApiKey(useDb(), id)).toMatchObject({ isUsable: false });
  });

  it('know their successor, and one id makes one key', async () => {
    const { tenantId, id } = await addKey(useDb());
    const has = () => useDb().asTenant(tenantId, (tx) => hasSuccessor(tx, id));
    expect(await has()).toBe(false);
    const next = await addKey(useDb(), { tenantId, rotatedFrom: id });
    expect(await has()).toBe(true);
    expect(
      await useDb().asTenant(tenantId, (tx) => insertApiKey(tx, newKey(tenantId, { id: next.id }))),
    ).toBeUndefined();
  });

  it('are listed oldest first, page by page, to their tenant alone [S29]', async () => {
    const { tenantId } = await addKey(useDb(), { name: 'key-0' });
    await passMillisecond();
    for (const name of ['key-1', 'key-2']) await addKey(useDb(), { tenantId, name });
    const names: string[] = [];
    let after: { createdAt: Date; id: string } | undefined;
    do {
      const page = await useDb().asTenant(tenantId, (tx) => listApiKeys(tx, { after, limit: 2 }));
      names.push(...page.map(({ name }) => name));
      after = page.at(-1);
    } while (after);
    expect(names.toSorted()).toEqual(['key-0', 'key-1', 'key-2']);
    expect(names[0]).toBe('key-0');
    const other = await createTenant(useDb());
    expect(await useDb().asTenant(other, (tx) => listApiKeys(tx, { limit: 2 }))).toEqual([]);
  });
}
