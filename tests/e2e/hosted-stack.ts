import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileSchema } from '@attache/contracts';
import { insertApiKey, insertTenant } from '@attache/database';
import { connectPostgres } from '@attache/database/postgres';
import { readOfferedProfiles } from '@attache/operations';
import { createApiKeySecret, runOperatorCommand } from '@attache/operator';
import { createLogger } from '@attache/telemetry';
import {
  createApi,
  dumpPostgres,
  type HostedStack,
  type OtlpReceiver,
  type SpawnedService,
  shareServers,
  startHosted,
  startOtlpReceiver,
} from '@attache/test-harness';
import { inject } from 'vitest';
import type { ProfileInput, Stack, StackOptions, Watch } from './stack-under-test.ts';

async function addTenants(hosted: HostedStack, names: readonly string[]): Promise<Map<string, string>> {
  const db = await connectPostgres({ url: hosted.database.urlOf('ingest'), poolSize: 1 });
  const keys = new Map<string, string>();
  for (const name of names) {
    const [tenantId, id] = [randomUUID(), randomUUID()];
    const { apiKey, secretHash } = createApiKeySecret(id);
    await insertTenant(db, { tenantId, name });
    await db.asTenant(tenantId, (tx) =>
      insertApiKey(tx, { tenantId, id, name: 'first key', secretHash, scopes: ['admin'], trustedTrace: true }),
    );
    keys.set(name, apiKey);
  }
  await db.close();
  return keys;
}

function composeProfiles(extra: Record<string, ProfileInput>): Record<string, unknown> {
  const { profiles } = readOfferedProfiles(undefined, '');
  const parsed = Object.entries(extra).map(([name, profile]) => [name, profileSchema.parse(profile)]);
  return { ...profiles, ...Object.fromEntries(parsed) };
}

function describeLimits(limits: StackOptions['rateLimits']): Record<string, string> {
  if (!limits) return {};
  return {
    ATTACHE_RATE_PER_KEY: String(limits.perKeyPerSecond),
    ATTACHE_RATE_PER_TENANT: String(limits.perTenantPerSecond),
    ATTACHE_RATE_FAILED_LOGINS: String(limits.failedAuthPerMinutePerAddress),
  };
}

function watchHosted({ services }: HostedStack, otlp: OtlpReceiver): Watch {
  const readMetrics = async ({ opsUrl }: SpawnedService) => (await fetch(`${opsUrl}/metrics`)).text();
  return {
    otlp,
    logs: () =>
      Object.values(services)
        .map((service) => service.stderr())
        .join('\n'),
    metrics: async () => (await Promise.all(Object.values(services).map(readMetrics))).join('\n'),
  };
}

/** The hosted stack: three processes on Postgres, NATS and MinIO. */
export async function openHostedStack({
  profiles = {},
  tenants = [],
  isTraced = false,
  isWatched = false,
  rateLimits,
}: StackOptions): Promise<Stack> {
  const receiver = isTraced || isWatched ? await startOtlpReceiver() : undefined;
  const signingKeys = [`k1:${'0123456789abcdef'.repeat(4)}`];
  const hosted = await startHosted({
    servers: shareServers(inject('servers')),
    cli: inject('bundledCli'),
    profiles: composeProfiles(profiles),
    signingKeys: signingKeys.join(','),
    environment: {
      ...(receiver ? { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url } : {}),
      ATTACHE_LOG_LEVEL: isWatched ? 'trace' : 'error',
      ...describeLimits(rateLimits),
    },
  });
  const apiKeys = await addTenants(hosted, tenants);
  let present = signingKeys;
  return {
    api: hosted.api,
    get opsUrl() {
      return hosted.services.ingest.opsUrl;
    },
    get spans() {
      return receiver?.spans() ?? [];
    },
    apiOf(tenant) {
      const apiKey = apiKeys.get(tenant);
      if (apiKey === undefined) throw new Error(`the stack was opened without the tenant ${tenant}`);
      return createApi(hosted.url, apiKey);
    },
    get watch() {
      if (!receiver || !isWatched) throw new Error('the stack was opened without being watched');
      return watchHosted(hosted, receiver);
    },
    async breakProjector() {
      const { pid } = hosted.services.projector.process;
      const folder = join(hosted.dataDir, 'projector', `projector-${pid}`);
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
    },
    async operate(name, input) {
      const db = await connectPostgres({ url: hosted.database.urlOf('ingest'), poolSize: 2 });
      const log = createLogger({ service: 'operator', level: 'silent' });
      try {
        return await runOperatorCommand({ db, log }, name, input);
      } finally {
        await db.close();
      }
    },
    agentFolder: (agentId) => join(hosted.dataDir, 'runner-gateway', 'agents', agentId),
    async changeSigningKeys(change) {
      present = change(present);
      const changes = { ATTACHE_SIGNING_KEYS: present.join(',') };
      await hosted.restart('ingest', 'SIGTERM', changes);
      await hosted.restart('runner-gateway', 'SIGTERM', changes);
    },
    async stopAndDump() {
      await hosted.stopServices();
      const dump = await dumpPostgres(hosted.database.superuserUrl);
      await hosted.stop();
      await receiver?.stop();
      return dump;
    },
    async stop() {
      await hosted.stop();
      await receiver?.stop();
    },
  };
}
