import { composeHost } from '../compose-bubblewrap.ts';
import type { ProgramPlaces } from '../find-program-places.ts';
import type { HostRoot } from '../host-root.ts';

/** The view of a process that reads hostile bytes: its program, and two folders, of which it may write one. */
export type WorkerPlan = {
  host: HostRoot;
  etcFolder: string;
  places: ProgramPlaces;
  inFolder: string;
  outFolder: string;
  descriptors: { seccomp: number; status: number };
  command: readonly string[];
};

export const workerPlaces = { inFolder: '/in', outFolder: '/out' } as const;

/** Arguments of bubblewrap that run a worker without a network. Other descriptors that it was started with stay open. */
export function composeWorker(plan: WorkerPlan): string[] {
  const { host, etcFolder, places, inFolder, outFolder, descriptors, command } = plan;
  const show = (source: string, place = source) => ['--ro-bind', source, place];
  return [
    ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL', '--die-with-parent'],
    ...['--uid', '1000', '--gid', '1000', '--hostname', 'worker'],
    ...['--seccomp', String(descriptors.seccomp), '--json-status-fd', String(descriptors.status)],
    ...composeHost({ host, etcFolder }),
    ...['--size', '67108864', '--tmpfs', '/tmp'],
    ...places.trees.toSorted().flatMap((tree) => show(tree)),
    ...places.files.flatMap(({ source, place }) => show(source, place)),
    ...places.covered.flatMap((folder) => ['--size', '4096', '--tmpfs', folder, '--remount-ro', folder]),
    ...show(inFolder, workerPlaces.inFolder),
    ...['--bind', outFolder, workerPlaces.outFolder],
    ...['--remount-ro', '/', '--chdir', '/', '--', ...command],
  ];
}
