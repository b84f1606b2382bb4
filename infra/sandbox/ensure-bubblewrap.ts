import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findOnPath } from '../native/processes/find-on-path.ts';

const run = promisify(execFile);
const INSTALL_MS = 5 * 60_000;

export type EnsureRequest = { searchPath: string; isRoot: boolean; onProgress: (line: string) => void };

/** Installs bubblewrap by apt-get if it is missing. Returns why it is still not there; undefined if it is. */
export async function ensureBubblewrap({ searchPath, isRoot, onProgress }: EnsureRequest): Promise<string | undefined> {
  if ((await findOnPath('bwrap', searchPath)) !== undefined) return undefined;
  if (!isRoot || (await findOnPath('apt-get', searchPath)) === undefined)
    return 'bwrap is not on PATH, and only root can install it, with apt-get: install the package bubblewrap.';
  onProgress('bubblewrap is installed by apt-get');
  const options = { timeout: INSTALL_MS, env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } };
  try {
    await run('apt-get', ['update', '-q'], options);
    await run('apt-get', ['install', '-y', '-q', '--no-install-recommends', 'bubblewrap'], options);
    return undefined;
  } catch (error) {
    return `apt-get could not install bubblewrap: ${error instanceof Error ? error.message : String(error)}`;
  }
}
