import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSpec } from '../driver.ts';
import { watchMemory } from '../limits/watch-memory.ts';
import { startBoxed } from './__fixtures__/boxed-start.ts';
import { whereSandboxed } from './__fixtures__/where-sandboxed.ts';

const wrap = fileURLToPath(new URL('__fixtures__/wrap.sh', import.meta.url));
const WRAPPER = [wrap, '--write={folder}', '--read={socket}', '--read={readOnly}', '--'];

let root: string;
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-wrapper-'));
});
afterEach(() => rm(root, { recursive: true }));

async function start(script: string, command: readonly string[] = WRAPPER, rest: Partial<AgentSpec> = {}) {
  const sandbox = { command, readOnly: [], privateFolders: [path.join(root, 'data')] };
  await mkdir(path.join(root, 'data'), { recursive: true });
  const folder = path.join(root, 'data', 'agent');
  return await startBoxed(['/bin/sh', '-c', script], { folder, sandbox, ...rest });
}

async function startChild(...given: Parameters<typeof start>) {
  const outcome = await start(...given);
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  return outcome.child;
}

describe.runIf(await whereSandboxed())('an agent in the wrapper of its operator', () => {
  it('sees its folder where it is, the environment that it is given, and what the wrapper shows [BX-22 AT-24]', async () => {
    await writeFile(path.join(root, 'outside'), 'outside');
    const child = await startChild(
      `pwd; echo $MODEL_KEY; env | wc -l; cat ${root}/outside || touch made; cat`,
      WRAPPER,
      { env: { MODEL_KEY: 'k' } },
    );
    const said = text(child.stdout);
    child.stdin.end();
    const work = path.join(root, 'data', 'agent', 'work');
    expect((await said).split('\n').slice(0, 2)).toEqual([work, 'k']);
    expect(await readdir(work)).toEqual(['made']);
  });

  it('reaches its socket where it is [BX-22]', async () => {
    const socketPath = path.join(root, 's');
    const server = createServer((socket) => socket.end('from the gateway'));
    await new Promise<void>((resolve) => server.listen(socketPath, resolve));
    const program = `require('net').connect('${socketPath}').pipe(process.stdout)`;
    const sandbox = { command: WRAPPER, readOnly: [], privateFolders: [] };
    const folder = path.join(root, 'data', 'agent');
    const outcome = await startBoxed([process.execPath, '-e', program], { folder, sandbox, socketPath });
    if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
    expect(await text(outcome.child.stdout)).toBe('from the gateway');
    server.close();
  });

  it('is described to it in a file, which goes with the agent and is never the agent’s to write [BX-22]', async () => {
    const socketPath = path.join(root, 'run', 's');
    await mkdir(path.dirname(socketPath));
    const copy = path.join(root, 'copy');
    const child = await startChild(
      'true',
      ['/bin/sh', '-c', `cp "$1" ${copy}; shift; exec "$@"`, 'w', '{description}'],
      {
        ...{ socketPath, limits: { memoryBytes: 1_000_000_000, processes: 9 } },
        endpoint: { api: 'anthropic', baseUrl: 'http://127.0.0.1:4321/a', apiKey: 'secret-key' },
      },
    );
    await child.exited;
    const described = await readFile(copy, 'utf8');
    expect(JSON.parse(described)).toMatchObject({
      ...{ folder: path.join(root, 'data', 'agent'), socket: socketPath, relayPort: 4321 },
      ...{ memoryBytes: 1_000_000_000, pids: 9, environment: expect.arrayContaining(['HOME', 'ATTACHE_AGENT_TOKEN']) },
    });
    expect(described).not.toMatch(/ata_|secret-key/);
    expect(await readdir(path.dirname(socketPath))).toEqual([]);
  });

  it('ends with all that it started, and its processes are counted [BX-20 BX-22]', async () => {
    const child = await startChild('setsid sleep 600 & for i in 1 2 3 4 5 6 7 8 9; do sleep 600 & done; wait');
    const watch = watchMemory(child, { processes: 8 });
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toContain('processes, at most 8');
    await expect.poll(() => listRunning(root)).toEqual([]);
  });

  it('is not started without its wrapper, and what is wrong is said [BX-22]', async () => {
    expect(await start('true', ['no-such-wrapper'])).toMatchObject({
      failure: { code: 'delivery_sandbox_unavailable', diagnostic: expect.stringContaining('no-such-wrapper') },
    });
    expect(await start('true', [wrap, '{folders}'])).toMatchObject({
      failure: { code: 'delivery_agent_start_failed', diagnostic: expect.stringContaining('{folders}') },
    });
  });
});

/** Processes whose environment names a folder. */
async function listRunning(folder: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid);
  const found = await Promise.all(
    pids.map((pid) =>
      readFile(`/proc/${pid}/environ`, 'utf8')
        .catch(() => '')
        .then((env) => env.includes(folder)),
    ),
  );
  return pids.filter((_, index) => found[index]);
}
