import { execFile } from 'node:child_process';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Machine } from './machines.ts';

const run = promisify(execFile);
const OUTPUT_BYTES = 64 * 1024 * 1024;

/** Debian's packages for one architecture, with lists and a database of their own: nothing of this system is changed, and nothing installed. */
export type DebianPackages = {
  /** Downloads packages and all that they depend on; answers the files. */
  fetchWithDependencies(names: readonly string[]): Promise<string[]>;
  /** Downloads the newest kernel alone; answers its file. */
  fetchKernel(): Promise<string>;
};

/** Reads the lists of this system's own sources of packages, signed as apt wants them, into `folder`. */
export async function openDebianPackages(folder: string, { debian }: Machine): Promise<DebianPackages> {
  const archives = join(folder, 'cache/archives');
  for (const each of [join(folder, 'lists/partial'), join(archives, 'partial')]) await mkdir(each, { recursive: true });
  await writeFile(join(folder, 'status'), '');
  const options = describeOptions(folder, debian);
  const apt = async (program: 'apt-get' | 'apt-cache', ...args: string[]) =>
    (await run(program, [...options, ...args], { cwd: archives, maxBuffer: OUTPUT_BYTES })).stdout;
  await apt('apt-get', 'update', '-q');
  const listArchives = async () => (await readdir(archives)).filter((name) => name.endsWith('.deb'));
  return {
    async fetchWithDependencies(names) {
      await apt('apt-get', 'install', '-y', '-q', '--download-only', '--no-install-recommends', ...names);
      return (await listArchives()).map((name) => join(archives, name));
    },
    async fetchKernel() {
      const named = await apt('apt-cache', 'depends', `linux-image-${debian}`);
      const name = /Depends: (linux-image-\S+)/.exec(named)?.[1];
      if (name === undefined) throw new Error(`The sources of packages name no kernel linux-image-${debian}.`);
      await apt('apt-get', 'download', '-q', name);
      const file = (await listArchives()).find((each) => each.startsWith(`${name}_`));
      return join(archives, file ?? name);
    },
  };
}

const describeOptions = (folder: string, debian: string): string[] =>
  [
    ...[`APT::Architecture=${debian}`, `APT::Architectures::=${debian}`],
    ...[`Dir::State=${folder}`, `Dir::State::Lists=${join(folder, 'lists')}`],
    ...[`Dir::State::status=${join(folder, 'status')}`, `Dir::Cache=${join(folder, 'cache')}`],
    'Debug::NoLocking=1',
  ].flatMap((option) => ['-o', option]);
