import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '@attache/contracts';
import { claimSession, type Database } from '@attache/database';
import { copyPgliteFolder, createPlace } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { type ConsumeOptions, createLocalDoorbells, OWNERS_DOORBELL } from '@attache/event-bus';
import { createLogger } from '@attache/telemetry';
import { expect, it, onTestFinished } from 'vitest';
import type { GatewayDeps } from './gateway-deps.ts';
import { startRunnerGateway } from './runner-gateway.ts';

/** A bus whose one handler does not end before the test does. */
function createStuckBus() {
  const { promise: never, resolve: end } = Promise.withResolvers<void>();
  onTestFinished(() => end());
  let options: ConsumeOptions | undefined;
  const consume = (given: ConsumeOptions) => {
    options = given;
    return { stop: () => never };
  };
  return { bus: { consume }, handle: (message: Parameters<ConsumeOptions['handle']>[0]) => options?.handle(message) };
}

/** A gateway on a database of its own; `wrap` is between them. */
async function startGateway(wrap: (db: Database) => Database = (db) => db) {
  const [databaseFolder, folder] = [await copyPgliteFolder(), await mkdtemp(join(tmpdir(), 'gateway-stop-'))];
  const db = await connectPglite({ folder: databaseFolder });
  onTestFinished(async () => {
    await db.close();
    for (const path of [databaseFolder, folder]) await rm(path, { recursive: true, force: true });
  });
  const { bus, handle } = createStuckBus();
  const doorbells = createLocalDoorbells();
  const log = createLogger({ service: 'test', level: 'silent' });
  const gateway = await startRunnerGateway({
    ...{ db: wrap(db), bus, doorbells, profiles: {}, drivers: {}, relay: {}, intake: {}, log },
    settings: {
      replicaId: randomUUID(),
      incarnation: { file: join(folder, 'incarnation'), isFormerDead: false },
      agentsFolder: join(folder, 'agents'),
      privateFolders: [folder],
      runtimeFolder: join(folder, 'run'),
      drainMs: 50,
      readVariable: () => undefined,
      bundledPrograms: {},
    },
  } as unknown as GatewayDeps);
  return { db, gateway, handle, doorbells };
}

it('stops although one of its handlers does not end, and lets go of its sessions', async () => {
  const { db, gateway, handle } = await startGateway();
  const { tenantId, sessionId } = await createPlace(db);
  const message = { subject: 'session.ended', data: { tenantId, sessionId }, trace: undefined, attempt: 1 } as const;
  expect(await handle({ id: randomUUID(), ...message })).toEqual({ as: 'left' });
  await gateway.stop();
  const owned = await db.asWorker((tx) => tx.query.sessionOwner.findMany());
  expect(owned.filter((row) => row.sessionId === sessionId && row.releasedAt === null)).toEqual([]);
});

it('stops although the database went away while it took a session over [W15]', async () => {
  const { promise: tried, resolve: onTried } = Promise.withResolvers<void>();
  let isAway = false;
  const { db, gateway, doorbells } = await startGateway((real) => ({
    ...real,
    call(statement, options) {
      if (!isAway || !JSON.stringify(statement.queryChunks).includes('attache_claim_session'))
        return real.call(statement, options);
      onTried();
      throw new Fault('DATABASE_UNAVAILABLE', 'The database is away.', { retryable: true });
    },
  }));
  const place = await createPlace(db);
  const gone = { replicaId: randomUUID(), incarnation: randomUUID() };
  await claimSession(db, { ...place, ...gone });
  isAway = true;
  doorbells.ring([OWNERS_DOORBELL]);
  await tried;
  await gateway.stop();
  const owned = await db.asWorker((tx) => tx.query.sessionOwner.findMany());
  expect(owned.find((row) => row.sessionId === place.sessionId)).toMatchObject({ incarnation: gone.incarnation });
});
