import path from 'node:path';
import type { HostRoot } from './host-root.ts';
import { EGRESS_PORT, INSIDE_ID, insidePlaces, RELAY_PORT } from './places.ts';

/** The view and the bounds of an agent. All paths are absolute. */
export type SandboxPlan = {
  host: HostRoot;
  /** Folder of `passwd`, `group`, `hosts` and `nsswitch.conf` as they are inside. */
  etcFolder: string;
  /** Shown read-only at their own place. */
  trees: readonly string[];
  files: readonly { source: string; place: string }[];
  /** Folders of the trees that are empty inside. */
  covered: readonly string[];
  /** The agent's own folder, which it may write. */
  folder: string;
  /** Parts of it that the gateway alone writes, by their names. */
  readOnlyParts: readonly string[];
  agentSocket: string | undefined;
  relaySocket: string | undefined;
  egressSocket: string | undefined;
  /** The program that runs as process 1 inside. */
  box: string;
  /** How long it waits after SIGTERM before it ends what is left. */
  graceMs: number;
  limits: { processes?: number | undefined };
  descriptors: { seccomp: number; status: number; exit: number };
  program: string;
  args: readonly string[];
};

const MIB = 1024 * 1024;
const sizes = { root: 4 * MIB, sharedMemory: 64 * MIB, temporary: 256 * MIB, sockets: 64 * 1024, covered: 4096 };
const ETC_FILES = ['passwd', 'group', 'hosts', 'nsswitch.conf'];

/** Arguments of bubblewrap that run a plan's program inside of its sandbox. A mount hides what was mounted below it before. */
export function composeBubblewrap(plan: SandboxPlan): string[] {
  const { descriptors } = plan;
  return [
    ...isolation,
    ...['--seccomp', String(descriptors.seccomp), '--json-status-fd', String(descriptors.status)],
    ...composeHost(plan),
    ...tmpfs('/tmp', sizes.temporary),
    ...tmpfs('/run/attache', sizes.sockets),
    ...showRun(plan),
    ...plan.trees.toSorted().flatMap((tree) => show(tree)),
    ...plan.covered.flatMap((folder) => [...tmpfs(folder, sizes.covered), '--remount-ro', folder]),
    ...plan.files.flatMap(({ source, place }) => show(source, place)),
    ...['--bind', plan.folder, insidePlaces.folder],
    ...plan.readOnlyParts.flatMap((part) => show(path.join(plan.folder, part), path.join(insidePlaces.folder, part))),
    ...['--remount-ro', '/run/attache', '--remount-ro', '/'],
    ...['--chdir', path.join(insidePlaces.folder, 'work')],
    ...['--', insidePlaces.box, ...boxArguments(plan), '--', plan.program, ...plan.args],
  ];
}

/** A root of its own with what is public of the machine, `/proc` and `/dev`. */
export const composeHost = (plan: Pick<SandboxPlan, 'host' | 'etcFolder'>): string[] => [
  ...tmpfs('/', sizes.root),
  ...showHost(plan),
  ...procAndDevices(plan.host),
];

const isolation = [
  ...['--unshare-all', '--unshare-user', '--disable-userns', '--cap-drop', 'ALL'],
  ...['--die-with-parent', '--new-session', '--as-pid-1', '--hostname', 'agent'],
  ...['--uid', String(INSIDE_ID), '--gid', String(INSIDE_ID)],
];

const show = (source: string, place = source): string[] => ['--ro-bind', source, place];
const tmpfs = (place: string, sizeBytes: number): string[] => ['--size', String(sizeBytes), '--tmpfs', place];

function showHost({ host, etcFolder }: Pick<SandboxPlan, 'host' | 'etcFolder'>): string[] {
  return [
    ...host.shown.flatMap((place) => show(place)),
    ...host.links.flatMap(({ place, target }) => ['--symlink', target, place]),
    ...ETC_FILES.flatMap((name) => show(path.join(etcFolder, name), path.join('/etc', name))),
  ];
}

function procAndDevices({ coveredProc }: HostRoot): string[] {
  return [
    ...['--proc', '/proc'],
    ...coveredProc.flatMap(({ place, by }) => show(by === 'itself' ? place : '/dev/null', place)),
    ...['--dev', '/dev'],
    ...tmpfs('/dev/shm', sizes.sharedMemory),
    ...['--remount-ro', '/dev'],
  ];
}

function showRun({ box, agentSocket, relaySocket, egressSocket }: SandboxPlan): string[] {
  return [
    ...show(box, insidePlaces.box),
    ...(agentSocket === undefined ? [] : show(agentSocket, insidePlaces.agentSocket)),
    ...(relaySocket === undefined ? [] : show(relaySocket, insidePlaces.relaySocket)),
    ...(egressSocket === undefined ? [] : show(egressSocket, insidePlaces.egressSocket)),
  ];
}

function boxArguments({ descriptors, graceMs, limits, relaySocket, egressSocket }: SandboxPlan): string[] {
  return [
    ...['--status-fd', String(descriptors.exit), '--grace-ms', String(graceMs)],
    ...(limits.processes === undefined ? [] : ['--limit-processes', String(limits.processes)]),
    ...(relaySocket === undefined ? [] : ['--forward', `${RELAY_PORT}=${insidePlaces.relaySocket}`]),
    ...(egressSocket === undefined ? [] : ['--forward', `${EGRESS_PORT}=${insidePlaces.egressSocket}`]),
  ];
}
