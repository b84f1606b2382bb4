import { randomBytes } from 'node:crypto';
import { readdir, readFile, readlink, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { makeSamples } from './src/files.ts';
import { converse, openPlace, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const [png] = await makeSamples();
if (png === undefined) throw new Error('there is no picture');
let stack: AgentsStack;
let startedAt: number;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes);
  startedAt = Date.now();
});
afterAll(() => stack?.stop());

const MAX_FILE_BYTES = 64 * 1024 * 1024;

/** Files below a folder that were written since the test began and hold one of the words. */
async function findWords(folder: string, words: readonly string[]): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      const facts = entry.isFile() ? await stat(path).catch(() => undefined) : undefined;
      if (facts === undefined || facts.mtimeMs < startedAt || facts.size > MAX_FILE_BYTES) return [];
      const bytes = await readFile(path).catch(() => Buffer.alloc(0));
      return words.some((word) => bytes.includes(word)) ? [path] : [];
    }),
  );
  return found.flat();
}

/** Folders into which the programs write when nobody tells them where. */
async function listOwnPlaces(): Promise<string[]> {
  const besideStack = (await readdir(tmpdir())).map((name) => join(tmpdir(), name));
  const atHome = ['.claude', '.codex', '.gemini', '.config', '.local', '.cache/opencode'].map((name) =>
    join(homedir(), name),
  );
  return [
    ...besideStack.filter((path) => path !== stack.dataDir && !path.startsWith(join(tmpdir(), 'attache-'))),
    ...atHome,
  ];
}

async function listProcessesIn(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const places = await Promise.all(pids.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => '')));
  return places.filter((place) => place.startsWith(folder));
}

describe.each(runtimes)('after a session with $key', (runtime) => {
  it('nothing of it is left: no folder, no transcript, no copy of a picture, no process [BX-10 BX-20]', async () => {
    const canary = `canary-${randomBytes(12).toString('hex')}`;
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const file = await uploadSample(stack.api, place, png);
    await converse(stack.api, place, `Remember ${canary}.`, [file.id]);
    const folder = join(stack.dataDir, 'agents', place.agent.id);
    const words = [canary, png.bytes.toString('base64').slice(0, 120)];
    // Some write their transcript a moment later.
    await expect.poll(() => findWords(folder, words), { timeout: 10_000 }).not.toEqual([]);

    expect((await stack.api.call('POST', `/sessions/${place.session.id}/end`)).status).toBe(202);
    await expect.poll(() => stat(folder).catch(() => 'gone'), { timeout: 20_000 }).toBe('gone');
    expect(await listProcessesIn(folder)).toEqual([]);
    for (const own of await listOwnPlaces()) expect(await findWords(own, words), own).toEqual([]);
    const shared = join(stack.dataDir, 'agents');
    expect(await findWords(shared, words)).toEqual([]);
  });
});
