import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A commit with its own packages, in a temporary folder that is gone at the end. */
export type Checkout = AsyncDisposable & { folder: string; commit: string };

/** Checks a commit out next to this tree, and installs what its lockfile names from the packages that were already fetched. */
export async function checkoutCommit(root: string, name: string): Promise<Checkout> {
  const git = (...args: string[]) => run('git', args, { cwd: root });
  const commit = (await git('rev-parse', '--short', '--verify', `${name}^{commit}`)).stdout.trim();
  const parent = await mkdtemp(join(tmpdir(), 'attache-bench-'));
  const folder = join(parent, 'tree');
  const remove = async () => {
    await git('worktree', 'remove', '--force', folder).catch(() => {});
    await rm(parent, { recursive: true, force: true });
    await git('worktree', 'prune');
  };
  try {
    await git('worktree', 'add', '--detach', folder, commit);
    await installPackages(folder);
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, commit, [Symbol.asyncDispose]: remove };
}

async function installPackages(folder: string): Promise<void> {
  // A commit names the version of pnpm that its lockfile was made with.
  const pnpm = /pnpm@[\d.]+/.exec(await readFile(join(folder, 'scripts/run.mjs'), 'utf8'))?.[0] ?? 'pnpm';
  const args = ['-y', pnpm, 'install', '--offline', '--frozen-lockfile', '--config.confirm-modules-purge=false'];
  await run('npx', args, { cwd: folder });
}
