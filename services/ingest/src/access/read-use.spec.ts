import { randomUUID } from 'node:crypto';
import { idFromUuid, MAX_USE_DAYS, type UseReport, useQuerySchema, useReportSchema } from '@attache/contracts';
import { addUse, type ModelUse } from '@attache/database';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { readUse } from './read-use.ts';

const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const counts = { requests: 2, uncountedRequests: 1, inputTokens: 100, cachedInputTokens: 40, outputTokens: 10 };

async function use({ deps, tenantId, sessionId, agentId }: Fixture, ...given: Partial<ModelUse>[]) {
  const uses = given.map((each) => ({
    ...{ day: dayAgo(1), sessionId, agentId, provider: 'anthropic', model: 'model-1', ...counts },
    ...each,
  }));
  await deps.db.asTenant(tenantId, (tx) => addUse(tx, { uses, today: dayAgo(0) }, () => {}));
}

const read = async ({ deps, caller }: Fixture, query: object): Promise<UseReport> =>
  useReportSchema.parse(await readUse(deps, caller, useQuerySchema.parse(query)));

it('tells what was used in the last 30 days by day, session and model, and to no other tenant [S29]', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  await use(fixture, {}, { day: dayAgo(29), model: 'a/b c' }, { day: dayAgo(30) });
  const sessionId = idFromUuid('session', fixture.sessionId);
  const twice = { requests: 4, uncountedRequests: 2, inputTokens: 200, cachedInputTokens: 80, outputTokens: 20 };
  expect(await read(fixture, { by: 'day' })).toEqual({
    ...{ by: 'day', from: dayAgo(29), to: dayAgo(0), nextCursor: null, schemaVersion: 1 },
    items: [
      { ...counts, day: dayAgo(29) },
      { ...counts, day: dayAgo(1) },
    ],
  });
  expect(await read(fixture, { by: 'session' })).toMatchObject({ items: [{ ...twice, sessionId }] });
  expect((await read(fixture, { by: 'model' })).items).toEqual([
    { ...counts, provider: 'anthropic', model: 'a/b c' },
    { ...counts, provider: 'anthropic', model: 'model-1' },
  ]);
  expect(await read(fixture, { by: 'day', from: dayAgo(1), to: dayAgo(1) })).toMatchObject({ items: [counts] });
  for (const by of ['day', 'session', 'model']) expect((await read(other, { by })).items).toEqual([]);
});

it('continues behind the last item of a page, whatever it is called', async () => {
  const fixture = await openFixture();
  const models = ['a', 'a/b', 'a%2Fb', 'ü'];
  await use(fixture, ...models.map((model, index) => ({ model, day: dayAgo(index), sessionId: randomUUID() })));
  for (const by of ['day', 'session', 'model'] as const) {
    const items: unknown[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await read(fixture, { by, limit: 1, ...(cursor === undefined ? {} : { cursor }) });
      items.push(...page.items);
      cursor = page.nextCursor;
    }
    expect(items).toEqual((await read(fixture, { by })).items);
    expect(items).toHaveLength(models.length);
  }
});

it.each([
  ['days in the wrong order', { by: 'day', from: dayAgo(1), to: dayAgo(2) }],
  ['more days than a report has', { by: 'day', from: dayAgo(MAX_USE_DAYS) }],
  ['a day before there were any', { by: 'day', to: '0000-01-01' }],
  ['a day that no month has, as a cursor', { by: 'day', cursor: '2026-02-31' }],
  ['a year that no database has, as a cursor', { by: 'day', cursor: '0000-01-01' }],
  ['a session that is none, as a cursor', { by: 'session', cursor: 'x' }],
  ['half a model, as a cursor', { by: 'model', cursor: 'a' }],
  ['a broken escape, as a cursor', { by: 'model', cursor: 'a/%' }],
  ['a zero, as a cursor', { by: 'model', cursor: 'a/%00' }],
])('refuses %s', async (_, query) => {
  await expect(read(await openFixture(), query)).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
});
