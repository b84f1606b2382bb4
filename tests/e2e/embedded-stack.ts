import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { profileSchema } from '@attache/contracts';
import { callOperatorSocket, operatorSocketPath } from '@attache/operator';
import { type FinishedSpan, startTelemetry, type Telemetry } from '@attache/telemetry/setup';
import {
  addTenant,
  copyTemplateFolder,
  createApi,
  dumpDatabase,
  type StackUnderTest,
  startEmbedded,
  testConfig,
} from '@attache/test-harness';
import type { Stack, StackOptions } from './stack-under-test.ts';
import { startWatching } from './watch-embedded.ts';

async function trace(isTraced: boolean, spans: FinishedSpan[]): Promise<Telemetry | undefined> {
  if (!isTraced) return undefined;
  return startTelemetry({ serviceName: 'attache-e2e', isExporting: false, onSpanEnd: (span) => spans.push(span) });
}

async function addTenants(dataDir: string, names: readonly string[]): Promise<Map<string, string>> {
  const keys = new Map<string, string>();
  for (const name of names) keys.set(name, await addTenant(dataDir, name));
  return keys;
}

/** The embedded stack, in this process. */
export async function openEmbeddedStack({
  profiles = {},
  tenants = [],
  isTraced = false,
  isWatched = false,
  rateLimits,
}: StackOptions = {}): Promise<Stack> {
  const spans: FinishedSpan[] = [];
  const watching = isWatched ? await startWatching() : undefined;
  const telemetry = watching?.telemetry ?? (await trace(isTraced, spans));
  const dataDir = await copyTemplateFolder();
  const apiKeys = await addTenants(dataDir, tenants);
  const extra = Object.entries(profiles).map(([name, profile]) => [name, profileSchema.parse(profile)]);
  const offered = { ...testConfig({ dataDir }).profiles, ...Object.fromEntries(extra) };
  const watched = watching ? { logLevel: 'trace' } : {};
  const options = { dataDir, profiles: offered, ...watched, ...(rateLimits ? { rateLimits } : {}) };
  const start = () => startEmbedded(options, watching?.surroundings);
  let running: StackUnderTest = await start();
  const end = async () => {
    await running.stop();
    await telemetry?.stop();
    await watching?.otlp.stop();
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
    get watch() {
      if (!watching) throw new Error('the stack was opened without being watched');
      const metrics = async () => (await fetch(`${running.opsUrl}/metrics`)).text();
      return { otlp: watching.otlp, logs: watching.logs, metrics };
    },
    async breakProjector() {
      const folder = join(dataDir, 'work');
      await rm(folder, { recursive: true });
      await writeFile(folder, '');
    },
    async operate(name, input) {
      const answer = await callOperatorSocket({ path: operatorSocketPath(dataDir), name, input });
      if (!answer) throw new Error('the stack does not listen for its operator');
      return answer.output;
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
