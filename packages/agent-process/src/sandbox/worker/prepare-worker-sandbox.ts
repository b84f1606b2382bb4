import { realpath } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { findProgramPlaces } from '../find-program-places.ts';
import { readHostRoot } from '../host-root.ts';
import { findTriedBubblewrap } from '../kept-trials.ts';
import { seccompFilter } from '../seccomp/seccomp-filter.ts';
import { composeWorker, workerPlaces } from './compose-worker.ts';

/** The files of `/etc` that are the same in each sandbox. */
export const etcFolder = fileURLToPath(new URL('../../../native/etc', import.meta.url));

/** How a worker is started in a sandbox: by other folders each time. */
export type WorkerSandbox = {
  /** Program and arguments; descriptors are numbers in the worker's `stdio`. */
  compose(folders: { inFolder: string; outFolder: string }, descriptors: { seccomp: number; status: number }): string[];
  /** Read by it from `seccomp`. */
  filter: Buffer;
  /** The paths of the two folders inside. */
  places: { inFolder: string; outFolder: string };
};

export type PreparedWorkerSandbox =
  | { status: 'ready'; sandbox: WorkerSandbox }
  | { status: 'unavailable'; diagnostic: string };

/** Looks, once, for what workers of a command are started with. `privateFolders` are hidden from them. */
export async function prepareWorkerSandbox(
  command: readonly string[],
  privateFolders: readonly string[],
  searchPath: string,
): Promise<PreparedWorkerSandbox> {
  const bubblewrap = await findTriedBubblewrap(searchPath, undefined);
  if (bubblewrap.status === 'unavailable') return bubblewrap;
  const architecture = process.arch;
  if (architecture !== 'x64' && architecture !== 'arm64')
    return { status: 'unavailable', diagnostic: `there is no filter of system calls for ${architecture}` };
  const real = await Promise.all(privateFolders.map((folder) => realpath(folder).catch(() => folder)));
  const places = await findProgramPlaces(command, searchPath, real);
  if (places.status === 'refused') return { status: 'unavailable', diagnostic: places.reason };
  const host = await readHostRoot();
  const compose: WorkerSandbox['compose'] = (folders, descriptors) => [
    bubblewrap.program,
    ...composeWorker({ host, etcFolder, places, ...folders, descriptors, command }),
  ];
  return { status: 'ready', sandbox: { compose, filter: seccompFilter(architecture), places: workerPlaces } };
}
