import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cli } from '../tests/harness/src/program.ts';
import { readEnvironment } from './config.ts';
import { findNativeServers } from './find-servers.ts';
import { listDescendants, waitUntilGone } from './native/process-table.ts';

const program = fileURLToPath(new URL('stack.ts', import.meta.url));
const { missing } = await findNativeServers({ environment: readEnvironment() }, ['postgres', 'nats', 'minio']);
const title = ['npm run stack', ...missing.map(({ why }) => why)].join(': ');
const SERVERS = 3;
const SERVICES = 3;

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-stack-'));
  // Postgres, where this is root, works as another account.
  await chmod(folder, 0o711);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const spawnStack = (...args: string[]): ChildProcess =>
  spawn(process.execPath, [program, '--folder', join(folder, 'stack'), '--cli', cli, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });

/** What a stack says until it is up, and its processes then. */
async function waitUntilUp(stack: ChildProcess): Promise<{ said: string; pids: number[] }> {
  if (!stack.stdout || !stack.stderr) throw new Error('the stack has no output');
  const errors = text(stack.stderr);
  const said: string[] = [];
  for await (const line of createInterface({ input: stack.stdout })) {
    said.push(line);
    if (line.startsWith('Logs')) return { said: said.join('\n'), pids: await listDescendants(stack.pid ?? 0) };
  }
  throw new Error(`the stack did not start: ${await errors}`);
}

const endOf = async (stack: ChildProcess) => (await once(stack, 'exit'))[0];

describe.skipIf(missing.length > 0)(title, () => {
  it('starts servers and services that are ready, refuses a second start, and stops all at a signal', async () => {
    const stack = spawnStack('--fresh');
    const { said, pids } = await waitUntilUp(stack);
    const ready = [...said.matchAll(/(\S+\/readyz)/g)].map(([, url]) => fetch(url ?? ''));
    expect((await Promise.all(ready)).map(({ status }) => status)).toEqual(Array.from({ length: SERVICES }, () => 200));
    const url = /^Attaché ready on (\S+)$/m.exec(said)?.[1];
    const apiKey = (await readFile(join(folder, 'stack', 'api-key'), 'utf8')).trim();
    const listed = await fetch(`${url}/v1/keys`, { headers: { authorization: `Bearer ${apiKey}` } });
    expect(listed.status).toBe(200);
    const second = spawnStack();
    const refusal = second.stderr && text(second.stderr);
    expect(await endOf(second)).toBe(1);
    expect(await refusal).toContain(`runs in ${join(folder, 'stack')} already (process ${stack.pid})`);
    stack.kill('SIGTERM');
    expect(await endOf(stack)).toBe(0);
    await waitUntilGone(pids, 45_000);
  });

  it('starts again on the data that it kept, and leaves nothing behind when it is killed', async () => {
    const apiKey = await readFile(join(folder, 'stack', 'api-key'), 'utf8');
    const stack = spawnStack();
    const { pids } = await waitUntilUp(stack);
    expect(pids.length).toBeGreaterThanOrEqual(SERVERS + SERVICES);
    stack.kill('SIGKILL');
    await waitUntilGone(pids, 45_000);
    expect(await readFile(join(folder, 'stack', 'api-key'), 'utf8')).toBe(apiKey);
    expect((await readdir(join(folder, 'stack', 'logs'))).sort()).toEqual([
      'ingest.log',
      'projector.log',
      'runner-gateway.log',
    ]);
  });
});
