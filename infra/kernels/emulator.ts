import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openDebianPackages } from './debian-packages.ts';
import type { Machine } from './machines.ts';
import { makeRoot, unpackDebian } from './unpack.ts';

/** A command that emulates a machine, without the machine's own arguments; and the environment that it needs. */
export type Emulator = { argv: readonly [string, ...string[]]; environment: Readonly<Record<string, string>> };

/** Makes QEMU for this host in `folder`, with all its libraries, and a busybox. */
export async function makeTools(folder: string, host: Machine, machines: readonly Machine[]): Promise<void> {
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  await makeRoot(draft);
  const packages = await openDebianPackages(join(draft, 'apt'), host);
  const names = machines.map(({ emulator }) => emulator.package);
  for (const file of await packages.fetchWithDependencies(['busybox-static', ...names]))
    await unpackDebian(file, draft);
  await rm(join(draft, 'apt'), { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

/** The emulator's command, with the tools of `makeTools` in `folder`. It has its own loader: the host's libraries may be of another release. */
export function describeEmulator(folder: string, host: Machine, { emulator }: Machine): Emulator {
  const libraries = ['lib', 'usr/lib'].map((name) => join(folder, name, host.libraries));
  const data = ['qemu', 'seabios'].flatMap((name) => ['-L', join(folder, 'usr/share', name)]);
  const loader = join(folder, 'lib', host.libraries, host.loader);
  const program = join(folder, 'usr/bin', emulator.program);
  return {
    argv: [loader, '--library-path', libraries.join(':'), program, ...data, ...emulator.hardware],
    environment: { QEMU_MODULE_DIR: join(folder, 'usr/lib', host.libraries, 'qemu') },
  };
}

export const busyboxOf = (folder: string): string => join(folder, 'usr/bin/busybox');
export const hasTools = (folder: string): boolean => existsSync(busyboxOf(folder));
