import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Held } from '../folder/measure-folder.ts';
import { MAX_OPEN_FILES, measureUnlinked } from './measure-unlinked.ts';

const MB = 1_000_000;
let root: string;
let children: ChildProcess[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-unlinked-'));
  children = [];
});
afterEach(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(root, { recursive: true });
});

/** Starts a process that runs a script and says when it has. */
async function start(script: string): Promise<number> {
  const child = spawn('/bin/sh', ['-c', `${script}; echo ready; exec sleep 600`], { cwd: root });
  children.push(child);
  await once(child.stdout, 'data');
  return child.pid ?? 0;
}

async function measure(pids: number[], folder = root): Promise<number> {
  const held: Held = { bytes: 0 };
  for await (const _ of measureUnlinked(pids, folder, held));
  return held.bytes;
}

it('counts a file that has no name and is open once, whoever has it open, and none that has a name [BX-22]', async () => {
  const one = await start(
    'exec 3>gone; head -c 3000000 /dev/zero >&3; exec 4>&3 5>kept; head -c 9000000 /dev/zero >&5; exec 6<gone',
  );
  expect(await measure([one])).toBe(0);
  await rm(path.join(root, 'gone'));
  const bytes = await measure([one, one]);
  expect(bytes).toBeGreaterThanOrEqual(3 * MB);
  expect(bytes).toBeLessThan(4 * MB);
  expect(await measure([2_147_483_000])).toBe(0);
});

it('counts none that is in memory: that has a limit of its own', async () => {
  const { type } = await statfs('/dev/shm');
  expect(type).toBe(0x01021994);
  const name = `/dev/shm/${path.basename(root)}`;
  const one = await start(`exec 3>${name}; head -c 3000000 /dev/zero >&3; rm ${name}`);
  expect(await measure([one])).toBe(0);
  // Unless the folder is there itself.
  expect(await measure([one], '/dev/shm')).toBeGreaterThanOrEqual(3 * MB);
});

it.runIf(process.getuid?.() === 0)(
  'counts one that is mapped and not open any more, where root looks [BX-22]',
  async () => {
    // A program that runs is mapped, and no process has it open.
    execFileSync('/bin/sh', ['-c', 'cp "$(command -v sleep)" gone && head -c 3000000 /dev/zero >> gone'], {
      cwd: root,
    });
    const child = spawn(path.join(root, 'gone'), ['600']);
    children.push(child);
    await once(child, 'spawn');
    await rm(path.join(root, 'gone'));
    expect(await measure([child.pid ?? 0])).toBeGreaterThanOrEqual(3 * MB);
  },
);

it('is infinite for a process with more open files than are looked at [BX-22]', async () => {
  const program = `const { openSync } = require('fs');
    for (let count = 0; count <= ${MAX_OPEN_FILES}; count += 1) openSync('/dev/null');
    console.log('ready'); setInterval(() => {}, 1000)`;
  const child = spawn('/bin/sh', [
    '-c',
    `ulimit -n ${MAX_OPEN_FILES + 100} && exec ${process.execPath} -e "${program}"`,
  ]);
  children.push(child);
  const [said] = await once(child.stdout, 'data');
  expect(String(said)).toBe('ready\n');
  expect(await measure([child.pid ?? 0])).toBe(Number.POSITIVE_INFINITY);
});
