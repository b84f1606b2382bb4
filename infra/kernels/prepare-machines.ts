import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { withLockFile } from '../native/build/build-lock.ts';
import { hasTools, makeTools } from './emulator.ts';
import { hostMachine, type Machine, machines } from './machines.ts';
import { makeSystem } from './make-system.ts';

const STAMP = 'lockfile.sha256';

export type PrepareRequest = {
  /** This repository's own folder in the cache. */
  folder: string;
  repository: string;
  chosen: readonly Machine[];
  /** Whether what is there already is made again. */
  isFresh: boolean;
  say: (line: string) => void;
};

/** Brings QEMU, kernels and systems into the cache folder, one process at a time. Nothing is installed. */
export async function prepareMachines(request: PrepareRequest): Promise<void> {
  const { folder, say } = request;
  await mkdir(folder, { recursive: true });
  await withLockFile({
    lockFile: join(folder, 'prepare.lock'),
    onWait: (holder) => say(`waiting for process ${holder}, which fetches packages …`),
    task: () => fetchMissing(request),
  });
}

async function fetchMissing({ folder, repository, chosen, isFresh, say }: PrepareRequest): Promise<void> {
  const tools = join(folder, 'tools');
  if (isFresh || !hasTools(tools)) {
    say(`QEMU is fetched from Debian's packages into ${tools}; nothing is installed`);
    await makeTools(tools, hostMachine(), Object.values(machines));
  }
  // A system holds Node and compiled packages of this lockfile.
  const digest = createHash('sha256')
    .update(await readFile(join(repository, 'pnpm-lock.yaml')))
    .digest('hex');
  for (const machine of chosen) {
    const place = join(folder, machine.architecture);
    const stamp = join(place, STAMP);
    if (!isFresh && (await readFile(stamp, 'utf8').catch(() => '')) === digest) continue;
    say(
      `The kernel and the system for ${machine.architecture} are fetched from Debian's packages and npm into ${place}`,
    );
    await makeSystem(place, machine, repository);
    await writeFile(stamp, digest);
  }
}
