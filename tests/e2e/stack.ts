import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileSchema } from '@attache/contracts';
import { type FinishedSpan, startTelemetry, type Telemetry } from '@attache/telemetry/setup';
import {
  type Api,
  addTenant,
  copyTemplateFolder,
  createApi,
  dumpDatabase,
  type StackUnderTest,
  startEmbedded,
  testConfig,
} from '@attache/test-harness';

/** A profile as an operator writes it. */
export type ProfileInput = (typeof profileSchema)['_input'];

export type StackOptions = {
  /** Offered beside the example agent. */
  profiles?: Record<string, ProfileInput>;
  /** Names of tenants beside the first one. */
  tenants?: readonly string[];
  isTraced?: boolean;
};

/** The stack under test, whatever it is made of. Its address may change when it starts again. */
export type Stack = {
  /** As the first tenant, whose key is trusted with traces. */
  readonly api: Api;
  readonly opsUrl: string;
  /** Spans that have ended so far, where it is traced. */
  readonly spans: readonly FinishedSpan[];
  /** As another tenant. */
  apiOf(tenant: string): Api;
  /** The folder of one agent's own files. */
  agentFolder(agentId: string): string;
  /** Stops, changes the signing keys (`kid:hex`, the first signs) and starts again. */
  changeSigningKeys(change: (present: string[]) => string[]): Promise<void>;
  /** Stops for good and answers every row of the database as text. */
  stopAndDump(): Promise<string>;
  stop(): Promise<void>;
};

async function trace(isTraced: boolean, spans: FinishedSpan[]): Promise<Telemetry | undefined> {
  if (!isTraced) return undefined;
  return startTelemetry({ serviceName: 'attache-e2e', isExporting: false, onSpanEnd: (span) => spans.push(span) });
}

async function addTenants(dataDir: string, names: readonly string[]): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const name of names) keys.set(name, await addTenant(dataDir, name));
  return keys;
}

/** Opens the stack that the specs run on: the embedded one, in this process. */
export async function openStack({ profiles = {}, tenants = [], isTraced = false }: StackOptions = {}): Promise<Stack> {
  const spans: FinishedSpan[] = [];
  const telemetry = await trace(isTraced, spans);
  const dataDir = await copyTemplateFolder();
  const apiKeys = await addTenants(dataDir, tenants);
  const extra = Object.entries(profiles).map(([name, profile]) => [name, profileSchema.parse(profile)]);
  const offered = { ...testConfig({ dataDir }).profiles, ...Object.fromEntries(extra) };
  const start = () => startEmbedded({ dataDir, profiles: offered });
  let running: StackUnderTest = await start();
  const end = async () => {
    await running.stop();
    await telemetry?.stop();
  };
  const remove = () => rm(dataDir, { recursive: true, force: true });
  return {
    get api() {
      return running.api;
    },
    get opsUrl() {
      return running.opsUrl;
    },
    spans,
    apiOf(tenant) {
      const apiKey = apiKeys.get(tenant);
      if (apiKey === undefined) throw new Error(`the stack was opened without the tenant ${tenant}`);
      return createApi(running.url, apiKey);
    },
    agentFolder: (agentId) => join(dataDir, 'agents', agentId),
    async changeSigningKeys(change) {
      await running.stop();
      const path = join(dataDir, 'signing-keys');
      const present = (await readFile(path, 'utf8')).trim().split('\n');
      await writeFile(path, `${change(present).join('\n')}\n`);
      running = await start();
    },
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
  };
}
