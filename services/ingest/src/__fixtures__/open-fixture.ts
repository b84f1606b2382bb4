import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { createFileBlobStore } from '@attache/blob-store/file';
import { idFromUuid, type Profiles, profileSchema, rights, type SessionEvent } from '@attache/contracts';
import { claimSession, takeReplica } from '@attache/database';
import { createPlace, openSpecDatabase, type Place, type SpecDatabase, takeFact } from '@attache/database/contract';
import { createLocalDoorbells } from '@attache/event-bus';
import { DEFAULT_URL_LIFETIME_SECONDS } from '@attache/intake';
import { createLogger } from '@attache/telemetry';
import { inject } from 'vitest';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import type { Keep } from '../once/run-once.ts';

// The embedded ports in this process, shared by all specs of a worker. Each fixture is a tenant of its own.

const example = { runtime: 'acp', command: ['an-agent'], provider: 'example' } as const;
const profiles: Profiles = {
  example: profileSchema.parse({ ...example, model: 'example-vision' }),
  words: profileSchema.parse({ ...example, model: 'example-text' }),
};

type Embedded = SpecDatabase & { deps: IngestDeps & { baseUrl: () => string } };

let embedded: Promise<Embedded> | undefined;

async function openEmbedded(): Promise<Embedded> {
  const specFolder = inject('specFolder');
  const root = await mkdtemp(join(specFolder, 'files-'));
  const doorbells = createLocalDoorbells();
  const database = await openSpecDatabase(specFolder, doorbells.ring);
  const { db } = database;
  const blobs = await createFileBlobStore({ root });
  const address = { host: '127.0.0.1', port: 0, basePath: '/v1', publicUrl: undefined };
  const settings = { ...address, maxUploadBytes: 1_000, corsOrigins: [], permissionMode: 'gated' as const };
  const log = createLogger({ service: 'test', level: 'silent' });
  const signingKeys: IngestDeps['signingKeys'] = [{ kid: 'k1', secret: Buffer.alloc(32, 7) }];
  const baseUrl = () => 'http://attache.test';
  return { ...database, deps: { db, blobs, doorbells, signingKeys, profiles, log, settings, baseUrl } };
}

function openedDatabase(): Promise<Embedded> {
  embedded ??= openEmbedded();
  return embedded;
}

/** The dependencies of a use case, and its effects. */
export type Fixture = Place & {
  deps: Embedded['deps'];
  /** May everything in the tenant of the fixture. */
  caller: Caller;
  /** The answers that were handed over to be kept for a repeated request. */
  kept: unknown[];
  keep: Keep;
  readEvents(): Promise<SessionEvent[]>;
  /** The subjects of the messages that were published since the last call. */
  takePublished(): string[];
};

/** A tenant with one session and one agent in it. */
export async function openFixture(): Promise<Fixture> {
  const { deps, takePublished, readEvents } = await openedDatabase();
  const place = await createPlace(deps.db);
  takePublished();
  const kept: unknown[] = [];
  return {
    ...place,
    deps,
    caller: callerOf(place.tenantId),
    kept,
    keep: {
      async inTransaction(_tx, body) {
        kept.push(body);
      },
      asRecord(body) {
        kept.push(body);
        return undefined;
      },
    },
    readEvents: () => readEvents(place),
    takePublished,
  };
}

/** The caller by an API key of the tenant. */
export function callerOf(tenantId: string, given: Partial<Caller> = {}): Caller {
  return {
    tenantId,
    actor: { type: 'key', id: idFromUuid('key', randomUUID()) },
    principal: 'a key',
    rights: new Set(rights),
    ...{ onlySessionId: undefined, isTrusted: false, maxUploadBytes: undefined },
    urls: { tenantGeneration: 1, maxLifetimeSeconds: DEFAULT_URL_LIFETIME_SECONDS, isRefused: false },
    ...given,
  };
}

export const readRow = async (fixture: Place, deliveryId: string) =>
  (await openedDatabase()).readRow(fixture, deliveryId);

/** Brings a queued delivery as far as a gateway would. */
export async function bringTo(fixture: Fixture, deliveryId: string, status: 'prepared' | 'claimed' | 'written') {
  const { deps, tenantId, sessionId } = fixture;
  const incarnation = randomUUID();
  await takeReplica(deps.db, { replicaId: incarnation, incarnation, leaseMs: 60_000 });
  const claimed = await claimSession(deps.db, { tenantId, sessionId, replicaId: incarnation, incarnation });
  const fence = { incarnation, epoch: claimed?.epoch ?? 0 };
  const read = () => readRow(fixture, deliveryId);
  await takeFact(deps.db, await read(), { kind: 'parts-built', parts: [] });
  for (const to of ['claimed', 'written'] as const) {
    if (status === 'prepared' || (status === 'claimed' && to === 'written')) break;
    await takeFact(deps.db, await read(), { kind: to, epoch: fence.epoch }, { fence });
  }
  fixture.takePublished();
}
