import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyPgliteFolder, createPlace } from '@attache/database/contract';
import { connectPglite } from '@attache/database/pglite';
import { type ConsumeOptions, createLocalDoorbells } from '@attache/event-bus';
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

it('stops although one of its handlers does not end, and lets go of its sessions', async () => {
  const [databaseFolder, folder] = [await copyPgliteFolder(), await mkdtemp(join(tmpdir(), 'gateway-stop-'))];
  const db = await connectPglite({ folder: databaseFolder });
  onTestFinished(async () => {
    await db.close();
    for (const path of [databaseFolder, folder]) await rm(path, { recursive: true, force: true });
  });
  const { bus, handle } = createStuckBus();
  const gateway = await startRunnerGateway({
    ...{
      db,
      bus,
      doorbells: createLocalDoorbells(),
      profiles: {},
      drivers: {},
      relay: {},
      intake: {},
      log: createLogger({ service: 'test', level: 'silent' }),
    },
    settings: {
      replicaId: randomUUID(),
      incarnation: { file: join(folder, 'incarnation'), isFormerDead: false },
      agentsFolder: join(folder, 'agents'),
      privateFolders: [folder],
      runtimeFolder: join(folder, 'run'),
      drainMs: 50,
    },
  } as unknown as GatewayDeps);
  const { tenantId, sessionId } = await createPlace(db);
  const message = { subject: 'session.ended', data: { tenantId, sessionId }, trace: undefined, attempt: 1 } as const;
  expect(await handle({ id: randomUUID(), ...message })).toEqual({ as: 'left' });
  await gateway.stop();
  const owned = await db.asWorker((tx) => tx.query.sessionOwner.findMany());
  expect(owned.filter((row) => row.sessionId === sessionId && row.releasedAt === null)).toEqual([]);
});
