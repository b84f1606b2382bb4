import { spawn } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emulator } from './emulator.ts';
import type { Machine } from './machines.ts';
import type { System } from './make-system.ts';
import { readResults, type TestResults } from './read-results.ts';
import type { KernelRun } from './runs.ts';

const LONGEST_MS = 20 * 60_000;

export type BootRequest = {
  run: KernelRun;
  machine: Machine;
  system: System;
  emulator: Emulator;
  /** Shown to the machine, which cannot write it. */
  repository: string;
  /** Gets what the machine says on its console, and its results. */
  outFolder: string;
};

export type BootOutcome =
  | { status: 'ran'; kernel: string; results: TestResults; seconds: number }
  /** The machine said no results. */
  | { status: 'broken'; log: string };

/** Boots a machine that runs its tests and turns itself off. */
export async function bootMachine(request: BootRequest): Promise<BootOutcome> {
  const { run, outFolder } = request;
  await rm(outFolder, { recursive: true, force: true });
  await mkdir(outFolder, { recursive: true });
  await writeFile(join(outFolder, 'user'), `${run.user}\n`);
  await writeFile(join(outFolder, 'files'), run.files.map((file) => `packages/agent-process/src/${file}\n`).join(''));
  const log = join(outFolder, 'console.log');
  const began = performance.now();
  await emulate(request, log);
  const seconds = Math.round((performance.now() - began) / 1000);
  const read = (name: string) => readFile(join(outFolder, name), 'utf8').catch(() => undefined);
  const [results, kernel, left] = await Promise.all(['results.json', 'kernel', 'left'].map(read));
  if (results === undefined || kernel === undefined || left === undefined) return { status: 'broken', log };
  return { status: 'ran', kernel: kernel.trim(), results: readResults(results, left), seconds };
}

async function emulate({ machine, system, emulator, repository, outFolder }: BootRequest, log: string): Promise<void> {
  const [program, ...own] = emulator.argv;
  const share = (path: string, tag: string, rest = '') => [
    '-virtfs',
    `local,path=${path},mount_tag=${tag},security_model=none,multidevs=remap${rest}`,
  ];
  const args = [
    ...[...own, '-accel', 'tcg', '-smp', '1', '-m', '2048', '-nographic', '-nic', 'none', '-no-reboot'],
    ...['-device', 'virtio-rng-pci', '-kernel', system.kernel, '-initrd', system.initrd],
    ...['-append', `console=${machine.console} quiet panic=-1 cgroup_no_v1=all`],
    ...share(system.systemFolder, 'system', ',readonly=on'),
    ...[...share(repository, 'repository', ',readonly=on'), ...share(outFolder, 'out')],
  ];
  const child = spawn(program, args, {
    ...{ env: { ...emulator.environment }, timeout: LONGEST_MS, killSignal: 'SIGKILL' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const file = createWriteStream(log);
  child.stdout.pipe(file, { end: false });
  child.stderr.pipe(file, { end: false });
  // A machine that cannot be emulated leaves no results.
  await new Promise((resolve) => child.once('close', resolve).once('error', resolve));
  file.end();
}
