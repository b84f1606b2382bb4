import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileBlobStore } from '@attache/blob-store/file';
import type { SessionEvent } from '@attache/contracts';
import { type AgentRow, type DeliveryRow, findAgent, takeReplica } from '@attache/database';
import {
  countRoundTrips,
  createDelivery,
  createPlace,
  openSpecDatabase,
  type Place,
  takeFact,
} from '@attache/database/contract';
import { createLogger } from '@attache/telemetry';
import { inject } from 'vitest';
import type { DeliverDeps } from '../deliver/deliver.ts';
import { type DeliveryTask, recordMove } from '../deliver/record-delivery.ts';
import { createLeftFolders } from '../files/left-folders.ts';
import { createOwnership } from '../ownership/session-ownership.ts';

// The embedded database and store, shared by all specs of a worker process. Each fixture has a tenant of its own and a gateway that owns its session and
// runs no agents.

async function openPorts() {
  const specFolder = inject('specFolder');
  const database = await openSpecDatabase(specFolder);
  const { db } = database;
  const root = await mkdtemp(join(specFolder, 'files-'));
  const blobs = await createFileBlobStore({ root: join(root, 'blobs') });
  const log = createLogger({ service: 'test', level: 'silent' });
  const signingKeys: DeliverDeps['intake']['signingKeys'] = [{ kid: 'k1', secret: Buffer.alloc(32, 7) }];
  const intake = { db, blobs, signingKeys, baseUrl: () => 'http://attache.test' };
  const settings = {
    ...{ agentsFolder: join(root, 'agents'), runtimeFolder: join(root, 'run'), maxOutputBytes: 1_000 },
    privateFolders: [root],
    ...{ permissionMode: 'gated', sandbox: 'none', bundledPrograms: {}, readVariable: () => undefined },
  };
  const deltas: unknown[] = [];
  const doorbells = {
    sendDelta: (_sessionId: string, delta: unknown) => void deltas.push(delta),
    sendEvents: () => {},
    ring: () => {},
  };
  const leftFolders = createLeftFolders({ agentsFolder: settings.agentsFolder, log });
  return { database, deltas, embedded: { db, blobs, log, intake, settings, doorbells, leftFolders } };
}

let ports: ReturnType<typeof openPorts> | undefined;

// No profile of a fixture has a model API.
const noRelay = {
  open(): never {
    throw new Error('a fixture has no relay');
  },
};

export type Fixture = Place & {
  deps: DeliverDeps;
  session: { tenantId: string; sessionId: string };
  /** The agents that the gateway was asked to stop or to clean up after. */
  host: { stopped: string[]; cleaned: string[] };
  /** Everything that was sent to followers of sessions, for all fixtures. */
  deltas: unknown[];
  /** Sessions that were reported to it as lost. */
  lost: string[];
  /** How often the database was waited for since the last call. */
  takeRoundTrips(): number;
  readEvents(): Promise<SessionEvent[]>;
  readRow(deliveryId: string): Promise<DeliveryRow>;
};

/** A tenant with one session and one agent in it, and a gateway that owns the session. */
export async function openFixture(): Promise<Fixture> {
  ports ??= openPorts();
  const { database, deltas, embedded } = await ports;
  const { db, take: takeRoundTrips } = countRoundTrips(embedded.db);
  const place = await createPlace(db);
  const session = { tenantId: place.tenantId, sessionId: place.sessionId };
  const lost: string[] = [];
  const host: Fixture['host'] = { stopped: [], cleaned: [] };
  const ownership = createOwnership({
    ...{
      db,
      identity: { replicaId: randomUUID(), incarnation: randomUUID() },
      isWaiting: () => true,
      doorbells: embedded.doorbells,
    },
    onLost: ({ sessionId }) => lost.push(sessionId),
  });
  await takeReplica(db, { ...ownership.identity, leaseMs: 60_000 });
  await ownership.claim(session);
  const agentHost = {
    async stop(agentId: string) {
      host.stopped.push(agentId);
      return false;
    },
    async clean(_: unknown, agentId: string) {
      host.cleaned.push(agentId);
    },
  };
  const deps = {
    ...embedded,
    db,
    profiles: {},
    drivers: {},
    relay: noRelay,
    secretKeys: [],
    ownership,
    host: agentHost,
    isDraining: () => false,
  };
  return {
    ...{ ...place, session, host, lost, deltas, deps: deps as unknown as DeliverDeps, takeRoundTrips },
    async readEvents() {
      await ownership.settled(session);
      return database.readEvents(session);
    },
    readRow: (deliveryId) => database.readRow(place, deliveryId),
  };
}

export async function readAgent({ deps, tenantId, sessionId, agentId }: Fixture): Promise<AgentRow> {
  const agent = await deps.db.readAsTenant(tenantId, (tx) => findAgent(tx, sessionId, agentId));
  if (!agent) throw new Error('the agent is gone');
  return agent;
}

/** A delivery that waits for the gateway, as it would be brought. It names these attachments. */
export async function prepareTask(fixture: Fixture, attachmentIds: readonly string[] = []): Promise<DeliveryTask> {
  const { deps, session } = fixture;
  const { deliveryId } = await createDelivery(deps.db, fixture, attachmentIds);
  const parts = [{ type: 'text' as const, text: 'hello' }];
  const row = await fixture.readRow(deliveryId);
  await takeFact(deps.db, row, { kind: 'parts-built', parts });
  return {
    ...{ row: await fixture.readRow(deliveryId), agent: await readAgent(fixture), attachments: [], probes: new Map() },
    ...{ session, quarantined: [] },
  };
}

/** The same once this gateway has taken it. */
export async function claimTask(fixture: Fixture, attachmentIds: readonly string[] = []): Promise<DeliveryTask> {
  const claimed = await recordMove(fixture.deps, await prepareTask(fixture, attachmentIds), 'claimed');
  if (!claimed) throw new Error('someone else has moved the delivery');
  return claimed;
}
