import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmod, copyFile, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { hostMachine, type Machine } from './machines.ts';

const run = promisify(execFile);

/** Puts Node and the compiled packages that vitest needs into the root of a machine's system: those of the lockfile, for its architecture. */
export async function addNode(root: string, { architecture }: Machine, repository: string): Promise<void> {
  const program = join(root, 'usr/bin/node');
  if (architecture === hostMachine().architecture) {
    await copyFile(join(repository, `node_modules/node-linux-${architecture}/bin/node`), program);
  } else {
    const lockfile = await readFile(join(repository, 'pnpm-lock.yaml'), 'utf8');
    const node = await fetchPackage(lockfile, `node-linux-${architecture}`, join(root, 'usr/lib/node'));
    await copyFile(join(node, 'bin/node'), program);
    const binding = `@rolldown/binding-linux-${architecture}-gnu`;
    await fetchPackage(lockfile, binding, join(root, 'usr/lib/native-packages', binding), findRolldown(lockfile));
  }
  await chmod(program, 0o755);
}

/** The version that vite has, besides that of the bundles. */
function findRolldown(lockfile: string): string | undefined {
  const [, vite = ''] = lockfile.split(/^snapshots:$/m)[1]?.split(/^ {2}vite@.*:$/m) ?? [];
  return /^ {6}rolldown: (\S+)$/m.exec(vite)?.[1];
}

/** Downloads a package by npm and unpacks it, if it has the digest that the lockfile wants. */
async function fetchPackage(lockfile: string, name: string, folder: string, wanted?: string): Promise<string> {
  const entry = new RegExp(
    `^ {2}'?${name}@(${wanted?.replaceAll('.', '\\.') ?? "[^:']+"})'?:\\n {4}resolution: \\{integrity: sha512-([^},]+)`,
    'm',
  );
  const [, version, digest] = entry.exec(lockfile) ?? [];
  if (version === undefined) throw new Error(`pnpm-lock.yaml names no ${name}.`);
  await mkdir(folder, { recursive: true });
  const packed = await run('npm', ['pack', '--silent', '--pack-destination', folder, `${name}@${version}`]);
  const file = join(folder, packed.stdout.trim());
  const found = createHash('sha512')
    .update(await readFile(file))
    .digest('base64');
  if (found !== digest) throw new Error(`${name}@${version} is not what pnpm-lock.yaml names.`);
  await run('tar', ['-xzf', file, '-C', folder, '--strip-components=1', '--no-same-owner']);
  await run('rm', [file]);
  return folder;
}
