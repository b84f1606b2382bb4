import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@attache/infra/config';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { ensurePython } from '@attache/infra/python/ensure-python';
import { type Exchange, recordExchanges } from './src/exchanges.ts';
import { generateClients, runClient } from './src/generate-clients.ts';
import { generatePython, runPython } from './src/generate-python.ts';

// Keeps the contract of this release, and what its server answers to the clients that are generated from it: npm run keep-contract

const cli = fileURLToPath(new URL('../../apps/cli/src/main.ts', import.meta.url));
const kept = (name: string) => fileURLToPath(new URL(`kept/${name}`, import.meta.url));

async function keep(url: string, key: string, folder: string): Promise<void> {
  const document = await (await fetch(`${url}/openapi.json`)).text();
  const answers: Record<string, Exchange[]> = {};
  const record = async (name: string, work: (env: { url: string; key: string }) => Promise<unknown>) => {
    const recorded = await recordExchanges(url);
    await work({ url: recorded.url, key }).finally(() => recorded.stop());
    answers[name] = recorded.exchanges;
  };
  await generateClients(folder, document);
  for (const name of ['by-types', 'by-sdk'] as const) await record(name, (env) => runClient(folder, name, env));
  const environment = readEnvironment();
  const found = await ensurePython({ cacheFolder: cacheFolderOf(environment), environment, onProgress: () => {} });
  if ('why' in found) throw new Error(found.why);
  await generatePython(folder, { bin: found.bin, document });
  await record('by-python', (env) => runPython(folder, env));
  await writeFile(kept('openapi.json'), document);
  await writeFile(kept('answers.json'), JSON.stringify(answers));
}

const folder = await mkdtemp(join(tmpdir(), 'attache-keep-'));
const dataDir = join(folder, 'data');
const server = spawn(process.execPath, [cli, 'start'], {
  env: { PATH: process.env.PATH, ATTACHE_DATA_DIR: dataDir, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  for await (const line of createInterface({ input: server.stdout })) {
    const url = /ready on (http:\S+)/.exec(line)?.[1];
    if (url === undefined) continue;
    await keep(url, (await readFile(join(dataDir, 'api-key'), 'utf8')).trim(), folder);
    break;
  }
} finally {
  server.kill('SIGTERM');
  await rm(folder, { recursive: true, force: true });
}
