import { randomBytes, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { createBlobKey } from '@attache/blob-store';
import { appendAudit, openIdempotency, reserveUpload } from '@attache/database';
import { countForPlans, createPlace, newReservation } from '@attache/database/contract';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startUpkeep } from './start-upkeep.ts';
import { sweepNow } from './sweep-now.ts';
import { isStored, type UpkeepSuite, upload } from './upkeep-suite.contract.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The times of sweeps, and the processes that do them. */
export function describeUpkeep({ use }: UpkeepSuite): void {
  it('is done by one process at a time, however many look', async () => {
    const deps = use();
    let runs = 0;
    const sweepMultiparts = async () => {
      runs += 1;
      return 3;
    };
    const processes = Array.from({ length: 5 }, () => startUpkeep({ ...deps, sweepMultiparts, periodMs: 20 }));
    onTestFinished(async () => void (await Promise.all(processes.map((upkeep) => upkeep.stop()))));
    const readFound = () =>
      deps.db.asWorker((tx) =>
        tx.query.sweep.findFirst({ where: (table, { eq }) => eq(table.name, 'abort-multiparts') }),
      );
    await vi.waitUntil(async () => (await readFound())?.found === 3, { timeout: 60_000 });
    await Promise.all(processes.map((upkeep) => upkeep.stop()));
    expect(runs).toBe(1);
  });

  it('drops idempotency keys of every tenant whose time has passed, also those in progress [W2]', async () => {
    const deps = use();
    const places = [await createPlace(deps.db), await createPlace(deps.db)];
    for (const { tenantId, sessionId } of places) {
      for (const key of ['old', 'new'])
        await openIdempotency(deps.db, tenantId, { route: 'sendMessage', sessionId, key });
      await deps.db.asTenant(tenantId, async (tx) => {
        await tx.execute("update idempotency set expires_at = now() - interval '1 second' where key = 'old'");
      });
    }
    // Another test's processes may have swept just now.
    await deps.db.asWorker(async (tx) => void (await tx.execute('delete from sweep')));
    const upkeep = startUpkeep({ ...deps, periodMs: 20 });
    onTestFinished(() => upkeep.stop());
    for (const { tenantId } of places) {
      const readKeys = () => deps.db.asTenant(tenantId, (tx) => tx.query.idempotency.findMany());
      await vi.waitUntil(async () => (await readKeys()).length === 1, { timeout: 60_000 });
      expect((await readKeys()).map(({ key }) => key)).toEqual(['new']);
    }
  });

  it('prunes history in more than one batch where it has a retention, and nothing without one', async () => {
    const deps = use();
    const { tenantId } = await createPlace(deps.db);
    const actor = { type: 'operator', id: 'operator' } as const;
    const at = new Date(Date.now() - 40 * DAY_MS);
    await deps.db.asTenant(tenantId, async (tx) => {
      for (let count = 0; count < 501; count += 1)
        await appendAudit(tx, { tenantId, actor, action: 'tenant.changed', at });
      await appendAudit(tx, { tenantId, actor, action: 'tenant.changed' });
    });
    const readSweep = (name: string) =>
      deps.db.asWorker((tx) => tx.query.sweep.findFirst({ where: (table, { eq }) => eq(table.name, name) }));
    const upkeep = startUpkeep({ ...deps, retention: { auditMs: 30 * DAY_MS }, periodMs: 20 });
    onTestFinished(() => upkeep.stop());
    await vi.waitUntil(async () => (await readSweep('prune-audit'))?.found === 501, { timeout: 60_000 });
    expect(await deps.db.asTenant(tenantId, (tx) => tx.query.auditLog.findMany())).toHaveLength(1);
    expect(await readSweep('prune-ended-sessions')).toBeUndefined();
  });

  it('has the rows of a growing table counted for plans within seconds [BX-27]', async () => {
    const { projector: db, blobs, log } = use();
    const { tenantId } = await createPlace(use().db);
    const readCounted = () => countForPlans(db, 'audit_log');
    const wanted = 60 + 4 * Math.max(0, await readCounted());
    await use().db.asTenant(tenantId, async (tx) => {
      const entry = { tenantId, actor: { type: 'operator', id: 'operator' }, action: 'tenant.changed' } as const;
      for (let count = 0; count < wanted; count += 1) await appendAudit(tx, entry);
    });
    const upkeep = startUpkeep({ db, blobs, log, periodMs: 60_000 });
    onTestFinished(() => upkeep.stop());
    await expect.poll(readCounted, { timeout: 60_000 }).toBeGreaterThanOrEqual(wanted);
  });

  it('at the start of a process that is alone removes what was left behind before, at once [W3]', async () => {
    const deps = use();
    const place = await createPlace(deps.db);
    const key = createBlobKey(place.tenantId, randomBytes(16));
    await reserveUpload(deps.db, newReservation(place, { key, storeId: deps.blobs.id }));
    await deps.blobs.put(key, Readable.from([randomBytes(10)]));
    const kept = await upload(deps, place, randomBytes(10));
    const idempotency = { route: 'sendMessage', sessionId: place.sessionId, key: randomUUID() };
    await openIdempotency(deps.db, place.tenantId, idempotency);
    expect(await sweepNow(deps, new Date(Date.now() + 1000))).toBeGreaterThanOrEqual(1);
    expect([await isStored(deps.blobs, key), await isStored(deps.blobs, kept.key)]).toEqual([false, true]);
    const again = await openIdempotency(deps.db, place.tenantId, idempotency);
    expect(again.state).toBe('opened');
  });
}
