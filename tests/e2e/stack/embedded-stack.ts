import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  copyTemplateFolder,
  dumpDatabase,
  type SpawnedStack,
  shortLimits,
  spawnStack,
  startOtlpReceiver,
} from '@attache/test-harness';
import { joinStack } from './join-stack.ts';
import { composeProfiles } from './profiles.ts';
import { describeLimits, noLimits, type OwnStack, type OwnStackOptions, type StackFacts } from './stack-under-test.ts';
import { waitForProbes } from './wait-for-probes.ts';

/** The embedded stack: one process on a folder. */
export type EmbeddedStack = {
  readonly running: SpawnedStack;
  readonly facts: StackFacts;
  dataDir: string;
  /** Stops it, lets something be done with its folder, and starts it again. */
  restart(change: () => Promise<void>): Promise<void>;
};

export async function startEmbeddedStack(
  environment: Record<string, string>,
  { profiles = {}, limits }: Pick<OwnStackOptions, 'profiles' | 'limits'> = {},
): Promise<EmbeddedStack> {
  const dataDir = await copyTemplateFolder();
  const profilesFile = join(dataDir, 'profiles.json');
  const logFile = join(dataDir, 'log');
  await writeFile(profilesFile, JSON.stringify({ profiles: composeProfiles(profiles) }));
  const settings = { ATTACHE_PROFILES: profilesFile, ...describeLimits(noLimits), ...environment };
  const { heartbeatMs } = shortLimits;
  const start = () => spawnStack(dataDir, settings, { logFile, limits: { heartbeatMs, ...limits } });
  let running = await start();
  return {
    dataDir,
    get running() {
      return running;
    },
    get facts() {
      const agentsFolders = [join(dataDir, 'agents')];
      const { url, opsUrl } = running;
      return { url, opsUrl, agentsFolders, logFiles: { attache: logFile }, operator: { dataDir } };
    },
    async restart(change) {
      await running.end('SIGTERM');
      await change();
      running = await start();
    },
  };
}

/** The embedded stack for one suite alone. */
export async function openOwnEmbedded({
  tenants = [],
  logLevel,
  rateLimits = noLimits,
  profiles,
  limits,
  agentUids,
}: OwnStackOptions): Promise<OwnStack> {
  const otlp = await startOtlpReceiver();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: otlp.url,
    ...(logLevel ? { ATTACHE_LOG_LEVEL: logLevel } : {}),
    ...(agentUids ? { ATTACHE_AGENT_UIDS: agentUids } : {}),
    ...describeLimits(rateLimits),
  };
  const stack = await startEmbeddedStack(environment, { profiles, limits });
  const { dataDir } = stack;
  const end = async () => {
    await stack.running.end('SIGTERM');
    await otlp.stop();
  };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  const metrics = async () => (await fetch(`${stack.running.opsUrl}/metrics`)).text();
  const joined = await joinStack(stack.facts, { tenants }, () => stack.facts);
  await waitForProbes(stack.facts, ['seeing']);
  return Object.assign(joined, {
    spans: () => otlp.spans(),
    watch: { otlp, logs: () => stack.running.log(), metrics },
    async breakProjector() {
      const folder = join(dataDir, 'work');
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
    },
    changeSigningKeys: (change: ChangeKeys) => changeKeys(stack, 'signing-keys', change),
    changeSecretKeys: (change: ChangeKeys) => changeKeys(stack, 'secret-keys', change),
    async stopAndDump() {
      await end();
      const dump = await dumpDatabase(dataDir);
      await remove();
      return dump;
    },
    async stop() {
      await end();
      await remove();
    },
  });
}

type ChangeKeys = (present: string[]) => string[];

function changeKeys(stack: EmbeddedStack, file: 'signing-keys' | 'secret-keys', change: ChangeKeys): Promise<void> {
  return stack.restart(async () => {
    const path = join(stack.dataDir, file);
    const present = (await readFile(path, 'utf8')).trim().split('\n');
    await writeFile(path, `${change(present).join('\n')}\n`);
  });
}
