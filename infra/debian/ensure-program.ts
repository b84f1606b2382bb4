import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findOnPath } from '../native/processes/find-on-path.ts';

export type FoundProgram = { program: string } | { why: string };

const run = promisify(execFile);
const WITHIN_MS = 5 * 60_000;

/**
 * Finds a program: on the search path, else in the cache folder, into which a package of Debian is unpacked, without being installed. `place` is the program's path
 * in the package. Returns why it is not there otherwise.
 */
export async function ensureDebianProgram(options: {
  name: string;
  place: string;
  cacheFolder: string;
  searchPath: string;
  onProgress(line: string): void;
}): Promise<FoundProgram> {
  const { name, place, cacheFolder, searchPath, onProgress } = options;
  const found = await findOnPath(name, searchPath);
  if (found !== undefined) return { program: found };
  const folder = join(cacheFolder, `debian-${name}`);
  const program = join(folder, place);
  if (existsSync(program)) return { program };
  if ((await findOnPath('apt-get', searchPath)) === undefined)
    return { why: `${name} is not on PATH, and there is no apt-get that could fetch its package: install ${name}.` };
  onProgress(`${name} is fetched by apt-get`);
  await mkdir(cacheFolder, { recursive: true });
  const draft = await mkdtemp(`${folder}.`);
  try {
    await unpack(name, draft);
    await rename(draft, folder).catch((error: NodeJS.ErrnoException) => {
      // Another process was first.
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    });
    return { program };
  } catch (error) {
    return { why: `apt-get could not fetch ${name}: ${error instanceof Error ? error.message : String(error)}` };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

async function unpack(name: string, folder: string): Promise<void> {
  const options = { cwd: folder, timeout: WITHIN_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  // Only root can bring the lists up to date; others use those that are there.
  if (process.getuid?.() === 0) await run('apt-get', ['update', '-q'], options);
  await run('apt-get', ['download', '-q', name], options);
  const [archive = ''] = (await readdir(folder)).filter((file) => file.endsWith('.deb'));
  await run('dpkg', ['-x', archive, '.'], options);
  await rm(join(folder, archive));
}
