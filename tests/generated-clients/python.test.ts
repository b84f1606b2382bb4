import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readEnvironment } from '@attache/infra/config';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { ensurePython } from '@attache/infra/python/ensure-python';
import { copyTemplateFolder, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { replayExchanges } from './src/exchanges.ts';
import { generatePython, runPython } from './src/generate-python.ts';

/** More than it is today by a tenth: a contract that grows beyond is noticed. */
const MAX_LINES = 37_000;

let bin: string;
let folder: string;
let dataDir: string;
let stack: SpawnedStack;
beforeAll(async () => {
  const environment = readEnvironment();
  const found = await ensurePython({ cacheFolder: cacheFolderOf(environment), environment, onProgress: () => {} });
  if ('why' in found) throw new Error(found.why);
  bin = found.bin;
  folder = await mkdtemp(join(tmpdir(), 'attache-python-'));
  dataDir = await copyTemplateFolder();
  stack = await spawnStack(dataDir, {});
});
afterAll(async () => {
  await stack?.end('SIGTERM');
  for (const path of [folder, dataDir]) if (path) await rm(path, { recursive: true, force: true });
});

it('a client that is generated and installed for Python as the page says takes all of the contract, compiles, does the main job and follows the session [DL-12 DL-41]', async () => {
  const document = await (await fetch(`${stack.url}/openapi.json`)).text();
  const { said, lineCount } = await generatePython(folder, { bin, document });
  expect(said).toBe('');
  expect(lineCount).toBeLessThanOrEqual(MAX_LINES);
  const done = await runPython(folder, { url: stack.url, key: stack.api.apiKey });
  expect(done).toMatchObject({ status: 'responded', sha256: createHash('sha256').update('a note').digest('hex') });
  expect(done.kinds).toEqual(expect.arrayContaining(['attachment.ready', 'message.accepted', 'delivery.responded']));
  expect(done.followed).toEqual(
    expect.arrayContaining(['SessionCreatedEvent', 'AgentDeltaEvent', 'MessageAcceptedEvent']),
  );
  expect(done.resumedAt).toBe(3);
  process.stdout.write(
    `Python client: ${lineCount} lines, imported in ${done.importSeconds.toFixed(2)} s of processor time\n`,
  );
});

it('such a client does the main job on what the server of the kept contract answered; with a field that this one did not know it would not [DL-12 DL-41]', async () => {
  const answers = JSON.parse(await readFile(fileURLToPath(new URL('kept/answers.json', import.meta.url)), 'utf8'));
  const document = JSON.parse(await (await fetch(`${stack.url}/openapi.json`)).text());
  const play = async (generatedFrom: object) => {
    const own = await mkdtemp(join(folder, 'replayed-'));
    await generatePython(own, { bin, document: JSON.stringify(generatedFrom) });
    const replayed = await replayExchanges(answers['by-python']);
    onTestFinished(() => replayed.stop());
    return runPython(own, { url: replayed.url, key: stack.api.apiKey });
  };
  expect(await play(document)).toMatchObject({
    ...{ status: 'responded', sha256: createHash('sha256').update('a note').digest('hex') },
  });
  const { Delivery } = document.components.schemas;
  Delivery.properties.novel = { type: 'string' };
  Delivery.required.push('novel');
  await expect(play(document)).rejects.toThrow(/KeyError: 'novel'/);
});
