import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { type Database, renewLease, takeReplica } from '@attache/database';
import { copyPgliteFolder } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { createLogger } from '@attache/telemetry';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeName } from './take-name.ts';

let folder: string;
let db: Database;
beforeAll(async () => {
  folder = await copyPgliteFolder();
  db = await connectPglite({ folder });
});
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

const log = createLogger({ service: 'test', level: 'silent' });
const LEASE_MS = 60_000;

/** A replica name that another incarnation holds, and one that wants it; `pause` runs while that one waits. */
async function given(pause: (former: { replicaId: string; incarnation: string }) => Promise<unknown>) {
  const former = { replicaId: randomUUID(), incarnation: randomUUID() };
  await takeReplica(db, { ...former, leaseMs: LEASE_MS });
  const identity = { replicaId: former.replicaId, incarnation: randomUUID() };
  const pauses: number[] = [];
  const take = (deadIncarnation?: string) =>
    takeName({ db, log, identity }, deadIncarnation, async (ms) => {
      pauses.push(ms);
      await pause(former);
    });
  return { former, identity, pauses, take };
}

it('waits until the lease of the former holder ends, no longer than that, and has the name [BX-16]', async () => {
  const { pauses, take, identity } = await given((former) => renewLease(db, { ...former, leaseMs: -1, state: 'gone' }));
  await take();
  expect(pauses).toHaveLength(1);
  expect(pauses[0]).toBeLessThanOrEqual(LEASE_MS + 1_000);
  expect(await renewLease(db, { ...identity, leaseMs: LEASE_MS, state: 'active' })).toBe('renewed');
});

it('is refused with one sentence where that one renews its lease meanwhile, whose name it stays [BX-16]', async () => {
  const { former, pauses, take } = await given((holder) =>
    renewLease(db, { ...holder, leaseMs: LEASE_MS, state: 'active' }),
  );
  await expect(take()).rejects.toMatchObject({
    code: 'CONFIGURATION_INVALID',
    message: expect.stringContaining('ATTACHE_REPLICA_ID'),
  });
  expect(pauses).toHaveLength(1);
  expect(await renewLease(db, { ...former, leaseMs: LEASE_MS, state: 'active' })).toBe('renewed');
});

it('waits for nothing where the former holder is known to be dead', async () => {
  const { former, pauses, take } = await given(async () => undefined);
  await take(former.incarnation);
  expect(pauses).toEqual([]);
});
