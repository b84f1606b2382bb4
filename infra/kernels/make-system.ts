import { execFile } from 'node:child_process';
import { copyFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { openDebianPackages } from './debian-packages.ts';
import { listModules, modulePatterns } from './kernel-modules.ts';
import type { Machine } from './machines.ts';
import { addNode } from './native-packages.ts';
import { makeRoot, unpackDebian } from './unpack.ts';

const run = promisify(execFile);
const INIT = fileURLToPath(new URL('guest/init.sh', import.meta.url));

const PACKAGES = [
  ...['busybox-static', 'bubblewrap', 'python3', 'util-linux', 'coreutils', 'dash', 'bash', 'grep', 'sed'],
  ...['findutils', 'procps', 'libstdc++6'],
];
const LEFT_OUT = ['usr/share/doc', 'usr/share/man', 'usr/share/locale', 'usr/share/info', 'usr/share/perl5'];

/** One machine's kernel, the first program that the kernel starts, and the folder that holds its system. */
export type System = { kernel: string; initrd: string; systemFolder: string };

/** Makes a machine's system in `folder`, from Debian's packages and this repository's Node. */
export async function makeSystem(folder: string, machine: Machine, repository: string): Promise<void> {
  const draft = `${folder}.draft`;
  await rm(draft, { recursive: true, force: true });
  const root = join(draft, 'root');
  await makeRoot(root);
  const packages = await openDebianPackages(join(draft, 'apt'), machine);
  const files = await packages.fetchWithDependencies(PACKAGES);
  for (const file of files) await unpackDebian(file, root);
  for (const place of LEFT_OUT) await rm(join(root, place), { recursive: true, force: true });
  await addNode(root, machine, repository);
  await mkdir(join(draft, 'system'));
  const owned = ['--owner=0', '--group=0', '--numeric-owner'];
  await run('tar', ['-c', '-C', root, ...owned, '-f', join(draft, 'system/system.tar'), '.']);
  await unpackKernel(await packages.fetchKernel(), draft);
  await copyFile(join(root, 'usr/bin/busybox'), join(draft, 'busybox'));
  for (const name of ['root', 'apt']) await rm(join(draft, name), { recursive: true });
  await rm(folder, { recursive: true, force: true });
  await rename(draft, folder);
}

async function unpackKernel(file: string, draft: string): Promise<void> {
  await unpackDebian(file, join(draft, 'kernel'), ['./boot/vmlinuz*', ...modulePatterns]);
}

/** Packs the initramfs of a run in `runFolder`, since its script may have changed. `busybox` is one of this host. */
export async function packInitrd(folder: string, runFolder: string, busybox: string): Promise<System> {
  const place = join(runFolder, 'initramfs');
  await rm(place, { recursive: true, force: true });
  for (const name of ['bin', 'dev', 'proc', 'sys', 'new', 'modules'])
    await mkdir(join(place, name), { recursive: true });
  await copyFile(join(folder, 'busybox'), join(place, 'bin/busybox'));
  await copyFile(INIT, join(place, 'init'));
  const modules = await listModules(join(folder, 'kernel/lib/modules'));
  for (const module of modules) await copyFile(module, join(place, 'modules', basename(module)));
  await writeFile(join(place, 'modules/order'), modules.map((module) => `${basename(module)}\n`).join(''));
  await run('chmod', ['755', join(place, 'init'), join(place, 'bin/busybox')]);
  const initrd = join(runFolder, 'initrd');
  const pack = 'find . | "$1" cpio -o -H newc >"$2"';
  await run('sh', ['-c', pack, 'sh', busybox, initrd], { cwd: place });
  const [kernel = ''] = (await readdir(join(folder, 'kernel/boot'))).filter((name) => name.startsWith('vmlinuz'));
  return { kernel: join(folder, 'kernel/boot', kernel), initrd, systemFolder: join(folder, 'system') };
}
