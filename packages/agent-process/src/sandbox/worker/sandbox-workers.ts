import { chmod, lchown, mkdir, rm } from 'node:fs/promises';
import type { AgentUser } from '../../users/agent-users.ts';
import { describeBarrier, findBarrier, findClosedFolder, letPass } from '../../users/find-barrier.ts';
import { findProgramBarrier } from '../find-program-barrier.ts';
import { findTriedBubblewrap } from '../kept-trials.ts';
import { etcFolder, prepareWorkerSandbox, type WorkerSandbox } from './prepare-worker-sandbox.ts';

export type WorkersPlace = {
  /** The program that Node runs. */
  workerPath: string;
  /** For files on their way; what an earlier process left in it is removed. */
  exchangeFolder: string;
  privateFolders: readonly string[];
  searchPath: string;
  /** The user as which workers run outside of their sandbox; undefined: this process's own. */
  user?: AgentUser | undefined;
};

/** A shortfall: no sandbox, or one without a user of its own. */
export type WorkersNotice = 'media.not_sandboxed' | 'media.without_user';

/** A sandbox for the workers of a process; undefined if none can be made. A shortfall is reported once. */
export async function sandboxWorkers(
  place: WorkersPlace,
  say: (notice: WorkersNotice, diagnostic: string) => void,
): Promise<(WorkerSandbox & { exchangeFolder: string; user?: AgentUser | undefined }) | undefined> {
  const { workerPath, exchangeFolder, privateFolders, searchPath, user } = place;
  const prepared = await prepareWorkerSandbox([process.execPath, workerPath], privateFolders, searchPath);
  if (prepared.status === 'unavailable') {
    say('media.not_sandboxed', prepared.diagnostic);
    return undefined;
  }
  await rm(exchangeFolder, { recursive: true, force: true });
  await mkdir(exchangeFolder, { recursive: true, mode: 0o700 });
  const lacking = user && (await letIn(place, user));
  if (lacking === undefined) return { ...prepared.sandbox, exchangeFolder, user };
  say('media.without_user', lacking);
  return { ...prepared.sandbox, exchangeFolder };
}

/** Opens the way to the exchange folder to a user; answers what else keeps workers from running as that one. */
async function letIn(
  { workerPath, exchangeFolder, privateFolders, searchPath }: WorkersPlace,
  user: AgentUser,
): Promise<string | undefined> {
  const bubblewrap = await findTriedBubblewrap(searchPath, user);
  if (bubblewrap.status === 'unavailable') return bubblewrap.diagnostic;
  await lchown(exchangeFolder, process.getuid?.() ?? 0, user.gid);
  await chmod(exchangeFolder, 0o710);
  await letPass([exchangeFolder], privateFolders, user);
  const barrier =
    (await findWorkerBarrier(workerPath, searchPath, user)) ?? (await findClosedFolder(exchangeFolder, user));
  return barrier === undefined ? undefined : describeBarrier(barrier, user);
}

/** Finds the barrier that keeps a user from running workers: a folder or file of their program that the user cannot enter or read. */
export async function findWorkerBarrier(
  workerPath: string,
  searchPath: string,
  user: AgentUser,
): Promise<string | undefined> {
  const barrier = await findProgramBarrier([process.execPath, workerPath], searchPath, user);
  return barrier ?? (await findBarrier([etcFolder], user));
}
