import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { runDurably } from '../../src/connection/run-durably.ts';
import type { Database } from '../../src/database.ts';
import { readNamed } from '../../src/message/named-reader.ts';
import { setTenantLimits } from '../../src/tenancy/tenant-writer.ts';
import { listUseByDay, listUseByModel, listUseBySession, readDayTokens } from '../../src/use/use-reader.ts';
import { addUse, type ModelUse } from '../../src/use/use-writer.ts';
import { createPlace, newUse, type Place } from '../__fixtures__/database-fixtures.ts';
import type { DatabaseSuite } from '../database-suite.contract.ts';

const today = '2026-03-02';
const dates = { from: '2026-03-01', to: '2026-03-31' };
const all = { ...dates, after: undefined, limit: 50 };

const add = (db: Database, { tenantId }: Pick<Place, 'tenantId'>, uses: readonly ModelUse[]) =>
  runDurably(
    db,
    tenantId,
    (tx, mark) => addUse(tx, { uses, today }, mark),
    () => true,
  );

/** The use of agents, added up. */
export function describeUse({ useDb }: DatabaseSuite): void {
  it('is added up by day, session and model, with one sum over all of them', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const other = { ...place, sessionId: randomUUID(), agentId: randomUUID() };
    await add(db, place, [
      newUse(place, { day: '2026-02-28', inputTokens: 7 }),
      newUse(place, { day: '2026-03-01' }),
      newUse(place, { day: today, model: 'model-2', uncountedRequests: 1 }),
    ]);
    await add(db, place, [newUse(place, { day: '2026-03-01', requests: 2 }), newUse(other, { day: today })]);

    const one = { requests: 1, uncountedRequests: 0, inputTokens: 100, cachedInputTokens: 40, outputTokens: 10 };
    const twice = { ...one, inputTokens: 200, cachedInputTokens: 80, outputTokens: 20 };
    const use = await db.asTenant(place.tenantId, async (tx) => ({
      byDay: await listUseByDay(tx, all),
      bySession: await listUseBySession(tx, all),
      byModel: await listUseByModel(tx, all),
    }));
    expect(use.byDay).toEqual([
      { ...twice, day: '2026-03-01', requests: 3 },
      { ...twice, day: today, requests: 2, uncountedRequests: 1 },
    ]);
    expect(new Map(use.bySession.map(({ sessionId, ...counts }) => [sessionId, counts]))).toEqual(
      new Map([
        [
          place.sessionId,
          { requests: 4, uncountedRequests: 1, inputTokens: 300, cachedInputTokens: 120, outputTokens: 30 },
        ],
        [other.sessionId, one],
      ]),
    );
    expect(use.byModel).toEqual([
      {
        ...{ provider: 'anthropic', model: 'model-1', requests: 4, uncountedRequests: 0 },
        ...{ inputTokens: 300, cachedInputTokens: 120, outputTokens: 30 },
      },
      { ...one, provider: 'anthropic', model: 'model-2', uncountedRequests: 1 },
    ]);
  });

  it('is read page by page, each row once', async () => {
    const db = useDb();
    const place = await createPlace(db);
    const days = ['2026-03-05', '2026-03-06', '2026-03-07'];
    const sessions = [randomUUID(), randomUUID(), randomUUID()].toSorted();
    const models = [
      { provider: 'a', model: 'Z' },
      { provider: 'a', model: 'b' },
      { provider: 'B', model: 'b' },
    ];
    const uses = days.map((day, index) => ({
      ...newUse(place, { day, ...models[index] }),
      sessionId: sessions[index],
    }));
    await add(db, place, uses as ModelUse[]);
    await db.asTenant(place.tenantId, async (tx) => {
      const page = { ...dates, limit: 2 };
      expect((await listUseByDay(tx, { ...page, after: days[0] })).map(({ day }) => day)).toEqual(days.slice(1));
      const found = await listUseBySession(tx, { ...page, after: sessions[0] });
      expect(found.map(({ sessionId }) => sessionId)).toEqual(sessions.slice(1));
      expect(await listUseByModel(tx, { ...page, after: undefined })).toMatchObject([models[2], models[0]]);
      expect(await listUseByModel(tx, { ...page, after: models[0] })).toMatchObject([models[1]]);
    });
  });

  it('comes with the limit of a tenant, and to no other tenant [S29]', async () => {
    const db = useDb();
    const [place, other] = [await createPlace(db), await createPlace(db)];
    expect(await add(db, place, [newUse(place, { day: today })])).toEqual({
      ...{ day: today, tokensPerDay: null, usedTokens: 110 },
    });
    await db.asTenant(place.tenantId, (tx) => setTenantLimits(tx, { tokensPerDay: 5_000_000_000 }));
    const limited = { day: today, tokensPerDay: 5_000_000_000, usedTokens: 110 };
    expect(await readDayTokens(db, place.tenantId, today)).toEqual(limited);
    expect(await readDayTokens(db, other.tenantId, today)).toEqual({ ...limited, tokensPerDay: null, usedTokens: 0 });
    expect(await db.asTenant(other.tenantId, (tx) => listUseByModel(tx, all))).toEqual([]);
    // The next day has no use yet.
    expect(await readDayTokens(db, place.tenantId, '2026-03-03')).toMatchObject({ usedTokens: 0 });
  });

  it('of today is read with what a message names', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await db.asTenant(place.tenantId, (tx) => setTenantLimits(tx, { tokensPerDay: 10 }));
    // Whichever day it is to the database, also a moment before midnight.
    const days = [-1, 0, 1].map((shift) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10));
    await add(
      db,
      place,
      days.map((day) => newUse(place, { day })),
    );
    const named = await readNamed(db, { ...place, agentIds: [], attachmentIds: [] });
    expect(named?.tokens).toEqual({ day: expect.any(String), tokensPerDay: 10, usedTokens: 110 });
    expect(days).toContain(named?.tokens.day);
  });

  it('that is written at once by several is all there', async () => {
    const db = useDb();
    const place = await createPlace(db);
    await Promise.all(Array.from({ length: 8 }, () => add(db, place, [newUse(place, { day: today })])));
    expect(await readDayTokens(db, place.tenantId, today)).toMatchObject({ usedTokens: 880 });
  });
}
