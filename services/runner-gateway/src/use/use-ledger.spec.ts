import { Fault } from '@attache/contracts';
import { type Database, listUseByDay, type ModelUse, readDayTokens, setTenantLimits } from '@attache/database';
import { createLogger } from '@attache/telemetry';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { createUseLedger } from './use-ledger.ts';

const today = () => new Date().toISOString().slice(0, 10);

const useOf = ({ sessionId, agentId }: Fixture, given: Partial<ModelUse> = {}): ModelUse => ({
  ...{ day: today(), sessionId, agentId, provider: 'p', model: 'm', requests: 1, uncountedRequests: 0 },
  ...{ inputTokens: 100, cachedInputTokens: 40, outputTokens: 10 },
  ...given,
});

function openLedger({ deps }: Fixture, db: Database = deps.db) {
  const lines: { msg: string }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const log = createLogger({ service: 'test', level: 'warn', redact: (text) => text, destination });
  return { ledger: createUseLedger({ db, log }), logged: () => lines.map(({ msg }) => msg) };
}

const limit = ({ deps, tenantId }: Fixture, tokensPerDay: number | null) =>
  deps.db.asTenant(tenantId, (tx) => setTenantLimits(tx, { tokensPerDay }));

const read = ({ deps, tenantId }: Fixture) => readDayTokens(deps.db, tenantId, today());

/** A database whose transactions of tenants fail so often, or commit and lose their answer. */
function breakWrites(db: Database, how: { failures: number; isCommitted?: boolean; error?: Error }): Database {
  return {
    ...db,
    async asTenant(tenantId, work) {
      if (how.failures === 0) return db.asTenant(tenantId, work);
      how.failures -= 1;
      if (how.isCommitted) await db.asTenant(tenantId, work);
      throw how.error ?? new Error('broken');
    },
  };
}

it('writes what was used in one go, each tenant its own', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const { ledger } = openLedger(fixture);
  fixture.takeRoundTrips();
  for (let count = 0; count < 50; count += 1) ledger.note(fixture.tenantId, useOf(fixture));
  ledger.note(fixture.tenantId, useOf(fixture, { model: 'other', uncountedRequests: 1 }));
  ledger.note(other.tenantId, useOf(other));
  await ledger.stop();
  const all = { from: today(), to: today(), after: undefined, limit: 9 };
  expect(await fixture.deps.db.asTenant(fixture.tenantId, (tx) => listUseByDay(tx, all))).toMatchObject([
    { requests: 51, uncountedRequests: 1, inputTokens: 5_100, cachedInputTokens: 2_040, outputTokens: 510 },
  ]);
  expect(await read(other)).toMatchObject({ usedTokens: 110 });
});

it('knows the limit from its own writes, and what is not written yet counts', async () => {
  const fixture = await openFixture();
  await limit(fixture, 220);
  const { ledger } = openLedger(fixture);
  // Nothing is known before the first look.
  ledger.note(fixture.tenantId, useOf(fixture));
  expect(ledger.findWait(fixture.tenantId)).toBeUndefined();
  await expect.poll(() => read(fixture), { timeout: 60_000 }).toMatchObject({ usedTokens: 110 });
  expect(ledger.findWait(fixture.tenantId)).toBeUndefined();
  ledger.note(fixture.tenantId, useOf(fixture));
  await expect
    .poll(() => ledger.findWait(fixture.tenantId), { timeout: 60_000 })
    .toSatisfy((seconds: number) => seconds > 0 && seconds <= 86_400);
  await ledger.stop();
});

it('reads the limit of a tenant of which nothing was written here', async () => {
  const fixture = await openFixture();
  await limit(fixture, 0);
  const { ledger } = openLedger(fixture);
  ledger.findWait(fixture.tenantId);
  await expect.poll(() => ledger.findWait(fixture.tenantId), { timeout: 60_000 }).toBeGreaterThan(0);
});

it('loses nothing of a write that failed: it goes with the next, and is logged', async () => {
  const fixture = await openFixture();
  const how = { failures: 1 };
  const { ledger, logged } = openLedger(fixture, breakWrites(fixture.deps.db, how));
  ledger.note(fixture.tenantId, useOf(fixture));
  await expect.poll(logged, { timeout: 60_000 }).toEqual(['use.not_written']);
  ledger.note(fixture.tenantId, useOf(fixture));
  await expect.poll(() => read(fixture), { timeout: 60_000 }).toMatchObject({ usedTokens: 220 });
  how.failures = 1;
  ledger.note(fixture.tenantId, useOf(fixture));
  await ledger.stop();
  // Broken at the stop: there is no next one.
  expect(logged()).toEqual(['use.not_written', 'use.not_written']);
});

it('counts once what is committed although its answer was lost', async () => {
  const fixture = await openFixture();
  const error = new Fault('DATABASE_UNAVAILABLE', 'the connection broke');
  const { ledger } = openLedger(fixture, breakWrites(fixture.deps.db, { failures: 1, isCommitted: true, error }));
  ledger.note(fixture.tenantId, useOf(fixture));
  await expect.poll(() => read(fixture), { timeout: 60_000 }).toMatchObject({ usedTokens: 110 });
  await ledger.stop();
  expect(await read(fixture)).toMatchObject({ usedTokens: 110 });
});
