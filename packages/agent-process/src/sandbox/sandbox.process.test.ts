import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import type { AgentSpec } from '../driver.ts';
import { watchMemory } from '../limits/watch-memory.ts';
import { prepareSettings } from '../settings/prepare-settings.ts';
import { type SpawnedAgent, spawnAgent } from '../spawn-agent.ts';
import { terminateAgent } from '../terminate-agent.ts';
import { whereSandboxed } from './__fixtures__/where-sandboxed.ts';
import { RELAY_PORT } from './places.ts';

const shortGateway = fileURLToPath(new URL('__fixtures__/short-gateway.ts', import.meta.url));
const inTime = { timeout: 60_000 };

let root: string;
let started: SpawnedAgent[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-sandbox-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) child.signalGroup('SIGKILL');
  await Promise.all(started.map((child) => child.exited));
  await rm(root, { recursive: true });
});

const context = {
  inherited: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  redact: (each: string) => each.replaceAll('secret', '***'),
};

function specOf(command: string[], rest: Partial<AgentSpec> = {}): AgentSpec {
  return givenSpec({
    command,
    folder: path.join(root, 'agent'),
    socketPath: '',
    token: `ata_${randomUUID()}`,
    marker: 'test.1',
    sandbox: { readOnly: [], privateFolders: [] },
    ...rest,
  });
}

async function spawnPrepared(spec: AgentSpec) {
  const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/agent/home' };
  await prepareSettings(spec, () => settings, context.redact);
  return await spawnAgent(spec, settings, context);
}

async function start(command: string[], rest: Partial<AgentSpec> = {}): Promise<SpawnedAgent> {
  const outcome = await spawnPrepared(specOf(command, rest));
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  started.push(outcome.child);
  return outcome.child;
}

const firstOutput = async (child: SpawnedAgent) => String((await child.stdout[Symbol.asyncIterator]().next()).value);

describe.runIf(await whereSandboxed())('a sandboxed agent', () => {
  it('hands arguments over as they are, whatever a shell would make of them [S26]', async () => {
    const values = ['$HOME', '`id`', '; echo x', '--settings=x', "it's", '', '*', '--'];
    const child = await start(['printf', '%s|', ...values]);
    expect(await text(child.stdout)).toBe(`${values.join('|')}|`);
  });

  it('has the environment that it is given and no other, with its folder where it sees it [BX-22 AT-24]', async () => {
    const child = await start(['sh', '-c', 'env; cat'], { env: { MODEL_KEY: 'k' } });
    const said = text(child.stdout);
    child.stdin.end();
    const lines = (await said).split('\n').filter((line) => !/^(PATH|PWD|ATTACHE_AGENT_TOKEN)=/.test(line));
    expect(lines.filter(Boolean).sort()).toEqual([
      'ATTACHE_AGENT_SOCKET=/run/attache/agent.sock',
      'ATTACHE_CHILD_OF=test.1',
      'HOME=/agent/home',
      'MODEL_KEY=k',
      'TMPDIR=/agent/tmp',
    ]);
  });
  it('tells exit code and redacted standard error [DL-82]', async () => {
    const child = await start(['sh', '-c', 'echo a secret >&2; exit 7']);
    expect(await child.exited).toEqual({ exitCode: 7, signal: null, diagnostic: 'a ***' });
  });

  it('is asked to end by SIGTERM, and says how it did [BX-22]', async () => {
    const obedient = await start(['sh', '-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done']);
    await firstOutput(obedient);
    await terminateAgent(obedient, { graceMs: 10_000 });
    expect(await obedient.exited).toMatchObject({ exitCode: 7, signal: null });
    const plain = await start(['sleep', '600']);
    await terminateAgent(plain, { graceMs: 10_000 });
    expect(await plain.exited).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
  });

  it('has no capabilities, no new privileges, a filter, and no descriptor but its own [BX-22 S19]', async () => {
    const status =
      'grep -E "^(CapEff|CapPrm|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"; ls /proc/self/fd; cat';
    const child = await start(['sh', '-c', status]);
    const said = text(child.stdout);
    child.stdin.end();
    const none = '0000000000000000';
    const facts = [`CapPrm:${none}`, `CapEff:${none}`, `CapBnd:${none}`, 'NoNewPrivs:1', 'Seccomp:2'];
    // The fourth is the folder that is listed.
    expect((await said).trim().split('\n')).toEqual([...facts, '0', '1', '2', '3']);
  });

  it('writes in its folder alone, and not where its gateway puts files [BX-22]', async () => {
    const tries = ['work/a', 'home/a', 'files/a', 'inbox/a'].map((file) => `touch /agent/${file} && echo ${file}`);
    const moves = [
      'mv /agent/files /agent/f && echo moved',
      'ln -s / /agent/inbox/l && echo linked',
      'touch /a /usr/a && echo /',
    ];
    const child = await start(['sh', '-c', `${[...tries, ...moves].join('; ')}; cat`]);
    const said = text(child.stdout);
    child.stdin.end();
    expect((await said).trim().split('\n')).toEqual(['work/a', 'home/a']);
    expect(await readdir(path.join(root, 'agent', 'work'))).toEqual(['a']);
  });

  it('reaches its relay by a port of its own loopback, and by it a socket of its own [BX-22]', async () => {
    const relaySocketPath = path.join(root, 'relay.sock');
    const server = createServer((socket) => socket.end('from the relay'));
    await new Promise<void>((resolve) => server.listen(relaySocketPath, resolve));
    const program = `require('net').connect(${RELAY_PORT}, '127.0.0.1').pipe(process.stdout)`;
    const child = await start([process.execPath, '-e', program], { relaySocketPath });
    expect(await text(child.stdout)).toBe('from the relay');
    server.close();
  });

  it('ends with all that it started, also what left its session [BX-20]', async () => {
    const child = await start(['sh', '-c', 'setsid sh -c "sleep 600 & sleep 600" & sleep 600 & echo ready; wait']);
    await firstOutput(child);
    await expect.poll(() => listBelow(child.pid).length, inTime).toBeGreaterThan(4);
    child.signalGroup('SIGKILL');
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    await expect.poll(() => listBelow(child.pid).length, inTime).toBe(0);
  });

  it('does not outlive its gateway, which is killed [BX-20 W16]', async () => {
    const gateway = spawn(process.execPath, [shortGateway, path.join(root, 'agent')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const pid = Number(String((await gateway.stdout[Symbol.asyncIterator]().next()).value));
    await expect.poll(() => listBelow(pid).length, inTime).toBeGreaterThan(4);
    const all = listBelow(pid);
    gateway.kill('SIGKILL');
    await expect.poll(() => all.filter(isRunning), inTime).toEqual([]);
  });

  it('is ended where it runs more processes than it may [BX-22]', async () => {
    const child = await start(['sh', '-c', 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do sleep 600 & done; wait']);
    const watch = watchMemory(child, { processes: 8 });
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toContain('processes, at most 8');
  });

  it('counts the memory of all its processes [BX-22]', async () => {
    const hold = 'const held = Buffer.alloc(2e8, 1); setInterval(() => held.length, 1000)';
    const child = await start(['sh', '-c', `setsid ${process.execPath} -e '${hold}' & wait`], {
      sandbox: { readOnly: [process.execPath], privateFolders: [] },
    });
    const watch = watchMemory(child, { memoryBytes: 150e6 });
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' });
    expect(watch.excess).toContain('bytes of memory, at most 150000000');
  });

  it('reads what its profile names, and is refused what is the platform’s [BX-22]', async () => {
    const shown = path.join(root, 'shown');
    await mkdir(shown);
    await writeFile(path.join(shown, 'note'), 'a note');
    const sandbox = { readOnly: [shown], privateFolders: [path.join(root, 'agent')] };
    const child = await start(['sh', '-c', `cat ${shown}/note; touch ${shown}/x; cat`], { sandbox });
    const said = text(child.stdout);
    child.stdin.end();
    expect(await said).toBe('a note');
    expect(await readdir(shown)).toEqual(['note']);
    for (const place of [root, path.join(root, 'agent', 'work'), path.join(root, 'missing'), '/proc/1', '/']) {
      const refused = await spawnPrepared(specOf(['true'], { sandbox: { ...sandbox, readOnly: [place] } }));
      expect(refused).toMatchObject({ status: 'failed', failure: { code: 'delivery_agent_start_failed' } });
    }
  });

  it("sees nothing of the platform's folders where they lie in its program's tree [BX-22]", async () => {
    const data = path.join(root, 'data');
    for (const folder of [path.join(root, 'node_modules'), data]) await mkdir(folder);
    await writeFile(path.join(data, 'signing-keys'), 'k1');
    const script = path.join(root, 'look.sh');
    await writeFile(script, `ls -A ${root} ${data}; cat ${data}/signing-keys; touch ${data}/mine; echo done; cat`);
    const child = await start(['/bin/sh', script], {
      folder: path.join(data, 'agents', 'agt'),
      sandbox: { readOnly: [], privateFolders: [data] },
    });
    const said = text(child.stdout);
    child.stdin.end();
    expect((await said).trim().split('\n')).toEqual([
      ...[`${root}:`, 'data', 'look.sh', 'node_modules', '', `${data}:`, 'done'],
    ]);
    expect(await readdir(data)).toEqual(['agents', 'signing-keys']);
  });

  it('is not started where no sandbox can be made, and says what to do [BX-22]', async () => {
    const spec = specOf(['/usr/bin/true']);
    const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/agent/home' };
    await prepareSettings(spec, () => settings, context.redact);
    const outcome = await spawnAgent(spec, settings, { ...context, inherited: { PATH: '/nowhere' } });
    expect(outcome).toMatchObject({
      status: 'failed',
      failure: {
        code: 'delivery_sandbox_unavailable',
        diagnostic: expect.stringMatching(/^no-program: .*Install the package bubblewrap/),
      },
    });
  });
});

/** Processes that run under an agent's sandbox, its own included. */
function listBelow(root: number): number[] {
  const parents = new Map<number, number>();
  for (const pid of readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each))
    .map(Number)) {
    const [state, parent] = readStat(pid);
    if (state !== undefined && state !== 'Z') parents.set(pid, Number(parent));
  }
  const isBelow = (pid: number | undefined): boolean =>
    pid !== undefined && (pid === root || isBelow(parents.get(pid)));
  return [...parents.keys()].filter(isBelow);
}

function isRunning(pid: number): boolean {
  const [state] = readStat(pid);
  return state !== undefined && state !== 'Z';
}

/** Reads a process's state, parent and more; empty for one that has ended. */
function readStat(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
