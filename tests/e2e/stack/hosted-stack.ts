import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOpeningKeys } from '@attache/secrets/key-text';
import { findSealingKey } from '@attache/secrets/open';
import {
  dumpPostgres,
  type HostedStack,
  type SpawnedService,
  shareServers,
  shortLimits,
  startHosted,
  startOtlpReceiver,
} from '@attache/test-harness';
import type { TestServers } from '@attache/test-servers';
import { joinStack } from './join-stack.ts';
import { composeProfiles } from './profiles.ts';
import { describeLimits, noLimits, type OwnStack, type OwnStackOptions, type StackFacts } from './stack-under-test.ts';
import { waitForProbes } from './wait-for-probes.ts';

const signingKeys = [`k1:${'0123456789abcdef'.repeat(4)}`];

/** The hosted stack: three processes on Postgres, NATS and MinIO. */
export function startHostedStack(
  servers: TestServers,
  environment: Record<string, string>,
  {
    profiles = {},
    limits,
    gatewayCount,
  }: Pick<OwnStackOptions, 'profiles' | 'limits'> & { gatewayCount?: number | undefined } = {},
): Promise<HostedStack> {
  const { heartbeatMs, programMs } = shortLimits;
  return startHosted({
    servers: shareServers(servers),
    ...{ gatewayCount, profiles: composeProfiles(profiles), limits: { heartbeatMs, programMs, ...limits } },
    signingKeys: signingKeys.join(','),
    environment: { ATTACHE_LOG_LEVEL: 'info', ...describeLimits(noLimits), ...environment },
  });
}

export function factsOfHosted(hosted: HostedStack): StackFacts {
  const { url, services, dataDir, database, moreGateways } = hosted;
  const { ATTACHE_SECRET_KEYS: secretKeys = '' } = hosted.environmentOf('runner-gateway');
  const gatewayFolders = [join(dataDir, 'runner-gateway'), ...moreGateways.map((gateway) => gateway.dataDir)];
  const agentsFolders = gatewayFolders.map((folder) => join(folder, 'agents'));
  const more = moreGateways.map(({ logFile }, index) => [`runner-gateway-${index + 2}`, logFile]);
  const logFiles = { ...hosted.logFiles, ...Object.fromEntries(more) };
  const operator = { databaseUrl: database.urlOf('operator'), secretKeys };
  return { url, opsUrl: services.ingest.opsUrl, agentsFolders, logFiles, operator };
}

/** The hosted stack for one suite alone. */
export async function openOwnHosted(
  servers: TestServers,
  { tenants = [], logLevel, rateLimits = noLimits, profiles, limits }: OwnStackOptions,
): Promise<OwnStack> {
  const otlp = await startOtlpReceiver();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
    ...(logLevel ? { ATTACHE_LOG_LEVEL: logLevel } : {}),
    ...describeLimits(rateLimits),
  };
  const hosted = await startHostedStack(servers, environment, { profiles, limits });
  let present = signingKeys;
  const list = () => Object.values(hosted.services);
  const readMetrics = async ({ opsUrl }: SpawnedService) => (await fetch(`${opsUrl}/metrics`)).text();
  const stop = async () => {
    await hosted.stop();
    await otlp.stop();
  };
  const joined = await joinStack(factsOfHosted(hosted), { tenants }, () => factsOfHosted(hosted));
  await waitForProbes(factsOfHosted(hosted), ['seeing']);
  return Object.assign(joined, {
    spans: () => otlp.spans(),
    watch: {
      otlp,
      logs: () =>
        list()
          .map((service) => service.stderr())
          .join('\n'),
      metrics: async () => (await Promise.all(list().map(readMetrics))).join('\n'),
    },
    async breakProjector() {
      const { pid } = hosted.services.projector.process;
      const folder = join(hosted.dataDir, 'projector', `projector-${pid}`);
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
    },
    async changeSigningKeys(change: (present: string[]) => string[]) {
      present = change(present);
      const changes = { ATTACHE_SIGNING_KEYS: present.join(',') };
      await hosted.restart('ingest', 'SIGTERM', changes);
      await hosted.restart('runner-gateway', 'SIGTERM', changes);
    },
    changeSecretKeys: (change: (present: string[]) => string[]) => changeSecretKeys(hosted, change),
    async stopAndDump() {
      await hosted.stopServices();
      const dump = await dumpPostgres(hosted.database.superuserUrl);
      await stop();
      return dump;
    },
    stop,
  });
}

// As an operator does it: first what opens, then what is sealed to.
async function changeSecretKeys(hosted: HostedStack, change: (present: string[]) => string[]): Promise<void> {
  const { ATTACHE_SECRET_KEYS: present = '' } = hosted.environmentOf('runner-gateway');
  const keys = change(present.split(',')).join(',');
  const [newest] = parseOpeningKeys(keys) ?? [];
  if (newest === undefined) throw new Error('the stack is left without a key');
  const { kid, bytes } = await findSealingKey(newest);
  await hosted.restart('runner-gateway', 'SIGTERM', { ATTACHE_SECRET_KEYS: keys });
  const publicKey = `${kid}:${Buffer.from(bytes).toString('base64url')}`;
  await hosted.restart('ingest', 'SIGTERM', { ATTACHE_SECRET_PUBLIC_KEY: publicKey });
}
