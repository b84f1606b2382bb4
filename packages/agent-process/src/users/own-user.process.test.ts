import { randomInt } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, lchown, link, lstat, mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSpec } from '../driver.ts';
import { startBoxed } from '../sandbox/__fixtures__/boxed-start.ts';
import { whereSandboxed } from '../sandbox/__fixtures__/where-sandboxed.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { type AgentUsers, createAgentUsers } from './agent-users.ts';
import { giveToOwnerOfFolder } from './give-folder.ts';

const canChangeUsers = process.getuid?.() === 0 && (await whereSandboxed());
const SIZE = 10;

let root: string;
let users: AgentUsers;
let first: number;
let started: SpawnedAgent[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-users-'));
  first = 1_900_000_000 + randomInt(1_000_000) * SIZE;
  users = createAgentUsers({ first, last: first + SIZE - 1 });
  started = [];
});
afterEach(async () => {
  for (const child of started) child.signalGroup('SIGKILL');
  await Promise.all(started.map((child) => child.exited));
  await rm(root, { recursive: true });
});

const folderOf = (name: string) => path.join(root, 'agents', name);

async function tryStart(command: readonly string[], rest: Partial<AgentSpec> = {}) {
  const sandbox = { readOnly: [], privateFolders: [root] };
  return await startBoxed(command, { folder: folderOf('one'), sandbox, ...rest }, { users });
}

async function start(command: readonly string[], rest: Partial<AgentSpec> = {}): Promise<SpawnedAgent> {
  const outcome = await tryStart(command, rest);
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  started.push(outcome.child);
  return outcome.child;
}

const shell = (script: string) => ['/bin/sh', '-c', script];
const userOf = (pid: number) => /^Uid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

async function sayOf(script: string, rest: Partial<AgentSpec> = {}): Promise<string> {
  const child = await start(shell(script), rest);
  child.stdin.end();
  return (await text(child.stdout)).trim();
}

describe.runIf(canChangeUsers)('a sandboxed agent with a user of its own', () => {
  it('runs as that user from before its sandbox begins, without rights, and another agent as another [BX-22 S19]', async () => {
    const one = await start(['/bin/cat']);
    const other = await start(['/bin/cat'], { folder: folderOf('other') });
    expect([userOf(one.pid), userOf(other.pid)]).toEqual([String(first), String(first + 1)]);
    const none = '0'.repeat(16);
    const facts =
      'grep -E "^(CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status | tr -d "\\t"; unshare -U true || echo refused';
    expect((await sayOf(facts, { folder: folderOf('third') })).split('\n')).toEqual([
      ...[`CapEff:${none}`, `CapBnd:${none}`, 'NoNewPrivs:1', 'Seccomp:2', 'refused'],
    ]);
  });

  it('owns its folder, also what an earlier user left there, and follows no link to give it [BX-22 S19]', async () => {
    const outside = path.join(root, 'outside');
    await writeFile(outside, 'not for agents', { mode: 0o600 });
    const work = path.join(folderOf('one'), 'work');
    await mkdir(work, { recursive: true });
    await writeFile(path.join(work, 'mine'), 'kept', { mode: 0o600 });
    await symlink(outside, path.join(work, 'link'));
    for (const place of [folderOf('one'), work, path.join(work, 'mine')]) await lchown(place, 12_345, 12_345);
    expect(await sayOf('cat work/mine mine; echo more >> mine; cat mine; cat link')).toBe('keptkeptmore');
    expect((await lstat(path.join(work, 'mine'))).uid).toBe(first);
    expect(await stat(outside)).toMatchObject({ uid: 0, gid: 0 });
  });

  it('owns also what has names that are no UTF-8 [BX-22]', async () => {
    const place = (name: string) =>
      Buffer.concat([Buffer.from(`${folderOf('one')}/work/`), Buffer.from(name, 'latin1')]);
    for (const name of ['', 'top\xff', 'top\xff/within\xfe'])
      await mkdir(place(name), { recursive: true, mode: 0o700 });
    await writeFile(place('top\xff/within\xfe/\x80'), 'kept', { mode: 0o600 });
    for (const name of ['top\xff/within\xfe/\x80', 'top\xff/within\xfe', 'top\xff'])
      await lchown(place(name), 12_345, 12_345);
    expect(await sayOf('cat work/*/*/* */*/* 2>/dev/null')).toContain('kept');
    for (const name of ['top\xff', 'top\xff/within\xfe', 'top\xff/within\xfe/\x80'])
      expect((await lstat(place(name))).uid).toBe(first);
  });

  it('gets no file of root’s that has another name [S19]', async () => {
    await mkdir(path.join(folderOf('one'), 'work'), { recursive: true });
    await writeFile(path.join(root, 'secret'), 'secret', { mode: 0o600 });
    await link(path.join(root, 'secret'), path.join(folderOf('one'), 'work', 'alias'));
    expect(await tryStart(['/bin/true'])).toMatchObject({
      ...{ status: 'failed', failure: { diagnostic: expect.stringContaining('alias has another name') } },
    });
    expect((await stat(path.join(root, 'secret'))).uid).toBe(0);
  });

  it('reads what its gateway puts there later, and reaches its sockets [BX-22 DL-78]', async () => {
    const relaySocketPath = path.join(root, 'relay.sock');
    const server = createServer((socket) => socket.end('from the relay'));
    await new Promise<void>((resolve) => server.listen(relaySocketPath, resolve));
    await chmod(relaySocketPath, 0o600);
    const program = `process.stdin.once('data', (d) => {
      process.stdout.write(require('fs').readFileSync('/agent/inbox/dlv/a', 'utf8'));
      require('net').connect(8087, '127.0.0.1').pipe(process.stdout);
    });`;
    const child = await start([process.execPath, '-e', program], { relaySocketPath });
    const delivery = path.join(folderOf('one'), 'inbox', 'dlv');
    await mkdir(delivery, { mode: 0o700 });
    await writeFile(path.join(delivery, 'a'), 'delivered, ', { mode: 0o400 });
    for (const place of [delivery, path.join(delivery, 'a')]) await giveToOwnerOfFolder(place);
    child.stdin.end('go');
    expect(await text(child.stdout)).toBe('delivered, from the relay');
    server.close();
  });

  it('ends at its limit of processes by the kernel’s own count, and others continue [BX-22]', async () => {
    const bomb = 'i=0; while sleep 600 & do i=$((i+1)); echo $i; done';
    const limits = { processes: 12 };
    const child = await start(shell(bomb), { limits });
    // The shell is the twelfth.
    expect((await text(child.stdout)).trim().split('\n').at(-1)).toBe('11');
    expect(await child.exited).toMatchObject({ signal: null, diagnostic: expect.stringMatching(/fork/i) });
    expect(await sayOf('for i in 1 2 3 4 5 6; do sleep 0.1 & done; wait; echo ran', { limits })).toBe('ran');
  });

  it('gives its user back when all of it is gone [BX-20]', async () => {
    users = createAgentUsers({ first, last: first });
    const child = await start(shell('setsid sh -c "sleep 600 & sleep 600" & echo ready; wait'));
    await child.stdout[Symbol.asyncIterator]().next();
    expect(await tryStart(['/bin/true'], { folder: folderOf('other') })).toMatchObject({
      ...{ status: 'failed', failure: { diagnostic: expect.stringMatching(/^all 1 users of ATTACHE_AGENT_UIDS/) } },
    });
    child.signalGroup('SIGKILL');
    await child.exited;
    const again = () => tryStart(['/bin/cat'], { folder: folderOf('other') });
    await expect
      .poll(async () => {
        const outcome = await again();
        if (outcome.status === 'started') started.push(outcome.child);
        return outcome.status;
      })
      .toBe('started');
  });

  it('is not started from a folder that it cannot enter, which is named [BX-22]', async () => {
    const hidden = path.join(root, 'hidden');
    const program = path.join(hidden, 'bin', 'tool');
    await mkdir(path.dirname(program), { recursive: true });
    await writeFile(program, '#!/bin/sh\necho ran\n', { mode: 0o755 });
    await chmod(root, 0o755);
    await chmod(hidden, 0o700);
    const sandbox = { readOnly: [], privateFolders: [path.join(root, 'agents')] };
    await mkdir(path.join(root, 'agents'), { mode: 0o700 });
    expect(await tryStart([program], { sandbox })).toMatchObject({
      ...{ status: 'failed' },
      failure: {
        ...{ code: 'delivery_agent_start_failed' },
        diagnostic: expect.stringMatching(new RegExp(`^${hidden} cannot be entered .* the user ${first},`)),
      },
    });
    expect(existsSync(program)).toBe(true);
    await chmod(hidden, 0o755);
    const child = await start([program], { sandbox });
    expect(await text(child.stdout)).toBe('ran\n');
  });
});
