import { execFile } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

// Links to folders stay: packages still name /lib and its like.
const UNPACK =
  'file=$1 folder=$2; shift 2; dpkg-deb --fsys-tarfile "$file" | tar -x -C "$folder" --no-same-owner --keep-directory-symlink "$@"';
const MERGED = ['bin', 'sbin', 'lib', 'lib64'];

/** Makes the root of a system whose `/bin` and its like are links into `/usr`, as Debian's is. */
export async function makeRoot(root: string): Promise<void> {
  for (const name of MERGED) {
    await mkdir(join(root, 'usr', name), { recursive: true });
    await symlink(`usr/${name}`, join(root, name));
  }
}

/** Unpacks what of a Debian package fits the patterns, all of it without, and runs none of its scripts. */
export async function unpackDebian(file: string, folder: string, patterns: readonly string[] = []): Promise<void> {
  await mkdir(folder, { recursive: true });
  const chosen = patterns.length === 0 ? [] : ['--wildcards', ...patterns];
  await run('bash', ['-o', 'pipefail', '-c', UNPACK, 'bash', file, folder, ...chosen]);
}
