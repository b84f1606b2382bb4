import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AgentSpec } from '../../driver.ts';
import { startBoxed } from '../../sandbox/__fixtures__/boxed-start.ts';
import { whereSandboxed } from '../../sandbox/__fixtures__/where-sandboxed.ts';
import { watchLimits } from '../watch-limits.ts';
import { findCgroups } from './find-cgroups.ts';
import { openCgroup } from './open-cgroup.ts';

const run = promisify(execFile);
const found = findCgroups(await readFile('/proc/self/cgroup', 'utf8'), await readFile('/proc/self/mountinfo', 'utf8'));
const trial = await openCgroup('trial', { memoryBytes: 1e9 });
await trial?.remove();
const isRoot = process.getuid?.() === 0;
const bomb = 'i=0; while sleep 5 & do i=$((i+1)); echo $i; done';
// In version 2, a gateway has a cgroup only if it was started with one, as no test runner is.
const isDelegated = trial !== undefined && (await whereSandboxed());
if (!isDelegated) process.stderr.write('Tests of cgroups are skipped: none may be made here.\n');

async function start(command: readonly string[], limits: AgentSpec['limits'], isBoxed = true) {
  const root = await mkdtemp(path.join(tmpdir(), 'attache-cgroup-'));
  onTestFinished(() => rm(root, { recursive: true }));
  const folder = path.join(root, 'agent');
  const sandbox = isBoxed ? { readOnly: [process.execPath], privateFolders: [] } : undefined;
  const outcome = await startBoxed(command, { folder, sandbox, limits });
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  const { child } = outcome;
  onTestFinished(() => void child.signalGroup('SIGKILL'));
  return { child, watch: watchLimits(child, { folder, limits }) };
}

async function listCgroups(): Promise<string[]> {
  const parents = found?.version === 2 ? [found.both] : [found?.memory ?? '', found?.pids ?? ''];
  const names = (await Promise.all(parents.map((parent) => readdir(parent)))).flat();
  return names.filter((name) => name.startsWith(`attache-agent-${process.pid}-`));
}

describe.runIf(isDelegated)('an agent in a cgroup of its own', () => {
  it('is ended by the kernel for its memory, /dev/shm and /tmp included, which is said; its cgroup goes [BX-22]', async () => {
    const limits = { memoryBytes: 120_000_000 };
    const fill = 'head -c 60000000 /dev/zero > /dev/shm/a; head -c 150000000 /dev/zero > /tmp/b; sleep 600';
    const { child, watch } = await start(['/bin/sh', '-c', fill], limits);
    expect(child.cgroup).toBeDefined();
    expect((await child.exited).signal).toBe('SIGKILL');
    expect(watch.excess).toBe('stopped: it needed more than 120000000 bytes of memory');
    await expect.poll(listCgroups).toEqual([]);
  });

  it('keeps its cgroup while another gateway starts, though it has ended and nobody has looked why [BX-22]', async () => {
    const cgroup = await openCgroup('kept', { memoryBytes: 1e9 });
    const script = `const { openCgroup } = await import(${JSON.stringify(import.meta.resolve('./open-cgroup.ts'))});
      await (await openCgroup('other', { memoryBytes: 1e9 })).remove();`;
    await run(process.execPath, ['--input-type=module', '-e', script]);
    expect(await listCgroups()).toContain(`attache-agent-${process.pid}-kept`);
    await cgroup?.remove();
    await expect.poll(listCgroups, { timeout: 60_000 }).not.toContain(`attache-agent-${process.pid}-kept`);
  });

  it('forks no further than it may, as root too, and lives [BX-22]', async () => {
    const { child, watch } = await start(['/bin/sh', '-c', bomb], { processes: 10 });
    // The shell, and of root one more, since no forwarder was asked for; the box's own limit, which binds another user, counts exactly.
    expect(await readLast(child.stdout)).toBe(isRoot ? '10' : '9');
    expect(await child.exited).toMatchObject({ signal: null, diagnostic: expect.stringMatching(/fork/i) });
    expect(watch.excess).toBeUndefined();
  });

  it('forks no further without a sandbox, as which user it may be [BX-22]', async () => {
    const { child } = await start(['/bin/sh', '-c', bomb], { processes: 10 }, false);
    // Four processes are allowed besides the agent's own; here only one of them exists, the shell's watchdog.
    expect(await readLast(child.stdout)).toBe('12');
    expect(await child.exited).toMatchObject({ signal: null, diagnostic: expect.stringMatching(/fork/i) });
  });
});

const readLast = async (output: Readable) => (await text(output)).trim().split('\n').at(-1);
