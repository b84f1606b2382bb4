import { mkdtempSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openCgroup } from './open-cgroup.ts';

// A folder in place of the kernel's: it shows what is written where, and not that a kernel heeds it.
function givenFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'attache-cgroup-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  return folder;
}

it('writes the limits of an agent, and the program’s number, where version 2 wants them [BX-22]', async () => {
  const both = givenFolder();
  const cgroup = await openCgroup('a', { memoryBytes: 5, processes: 7 }, async () => ({ version: 2, both }));
  await cgroup?.add(1234);
  const folder = path.join(both, `attache-agent-${process.pid}-a`);
  const written = await Promise.all(
    (await readdir(folder)).toSorted().map(async (name) => [name, await readFile(path.join(folder, name), 'utf8')]),
  );
  expect(Object.fromEntries(written)).toEqual({
    ...{ 'cgroup.procs': '1234', 'memory.max': '5', 'memory.swap.max': '0', 'pids.max': '11' },
  });
  await writeFile(path.join(folder, 'memory.events'), 'low 0\nmax 3\noom 1\noom_kill 2\n');
  await cgroup?.look();
  expect(cgroup?.killCount).toBe(2);
});

it('makes none where nothing is limited, or nothing may be made [BX-22]', async () => {
  const both = givenFolder();
  const find = async () => ({ version: 2, both }) as const;
  expect(await openCgroup('a', {}, find)).toBeUndefined();
  expect(await openCgroup('a', { memoryBytes: 5 }, async () => undefined)).toBeUndefined();
  await mkdir(path.join(both, `attache-agent-${process.pid}-b`));
  expect(await openCgroup('b', { memoryBytes: 5 }, find)).toBeUndefined();
});
