import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readEnvironment } from '@attache/infra/config';
import { ensureServerProgram } from '@attache/infra/native/build/find-or-build-server';
import { copyTemplateFolder, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { replayExchanges } from './src/exchanges.ts';
import { generateClients, runClient } from './src/generate-clients.ts';

const kept = fileURLToPath(new URL('kept/openapi.json', import.meta.url));
const answers = fileURLToPath(new URL('kept/answers.json', import.meta.url));
const run = promisify(execFile);

let folder: string;
let dataDir: string;
let stack: SpawnedStack;
let oasdiff: string;
beforeAll(async () => {
  const environment = readEnvironment();
  const found = await ensureServerProgram({ name: 'oasdiff', environment });
  if ('missing' in found) throw new Error(found.missing);
  oasdiff = found.program;
  folder = await mkdtemp(join(tmpdir(), 'attache-kept-'));
  dataDir = await copyTemplateFolder();
  stack = await spawnStack(dataDir, {});
}, 300_000);
afterAll(async () => {
  await stack?.end('SIGTERM');
  for (const path of [folder, dataDir]) if (path) await rm(path, { recursive: true, force: true });
});

/** Each change that breaks a client, as `oasdiff` names it. */
async function listBreaks(before: string, after: string): Promise<string[]> {
  const { stdout } = await run(oasdiff, ['breaking', '--format', 'json', before, after]);
  return (JSON.parse(stdout || '[]') as { id: string; operation: string; path: string }[]).map(
    ({ id, operation, path }) => `${id}: ${operation} ${path}`,
  );
}

it('the contract breaks no client of the kept one; what would is found [DL-12]', async () => {
  const document = await (await fetch(`${stack.url}/openapi.json`)).text();
  const [present, broken] = [join(folder, 'present.json'), join(folder, 'broken.json')];
  await writeFile(present, document);
  expect(await listBreaks(kept, present)).toEqual([]);
  const changed = JSON.parse(document);
  delete changed.paths['/v1/sessions/{sessionId}'].get;
  await writeFile(broken, JSON.stringify(changed));
  expect(await listBreaks(kept, broken)).toEqual([
    expect.stringMatching(/removed.*: GET \/v1\/sessions\/\{sessionId\}$/),
  ]);
});

it.each(['by-types', 'by-sdk'] as const)(
  'a client that was generated from the kept contract, %s, does the main job on this server [DL-12 DL-41]',
  async (name) => {
    await generateClients(folder, await readFile(kept, 'utf8'));
    const done = await runClient(folder, name, { url: stack.url, key: stack.api.apiKey });
    expect(done).toMatchObject({ status: 'responded', sha256: createHash('sha256').update('a note').digest('hex') });
  },
);

it.each(['by-types', 'by-sdk'] as const)(
  'a client that is generated from the present contract, %s, does the main job on what the server of the kept one answered [DL-12 DL-41]',
  async (name) => {
    const document = await (await fetch(`${stack.url}/openapi.json`)).text();
    await generateClients(folder, document);
    const replayed = await replayExchanges(JSON.parse(await readFile(answers, 'utf8'))[name]);
    onTestFinished(() => replayed.stop());
    const done = await runClient(folder, name, { url: replayed.url, key: stack.api.apiKey });
    expect(done).toMatchObject({ status: 'responded', sha256: createHash('sha256').update('a note').digest('hex') });
  },
);
