import { constants } from 'node:fs';
import { access, lstat, readlink } from 'node:fs/promises';

/** The part of the machine's own root that an agent sees. */
export type HostRoot = {
  /** `/bin` and its like, where they are links into `/usr`. */
  links: readonly { place: string; target: string }[];
  /** Folders and files that are shown read-only at their own place. */
  shown: readonly string[];
  /** Parts of `/proc` that a process of the machine's root user could write, or learn of others from. */
  coveredProc: readonly { place: string; by: 'itself' | 'nothing' }[];
};

const BESIDE_USR = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];
const SETTINGS = [
  '/etc/ld.so.cache',
  // Only the public certificates: private keys lie next to them, which the machine's root user could read.
  '/etc/ssl/certs',
  '/etc/ssl/openssl.cnf',
  '/etc/pki/ca-trust',
  '/etc/pki/tls/certs',
  '/etc/ca-certificates',
  '/etc/alternatives',
  '/etc/localtime',
];
// Without capabilities the machine's root user may still write here: the kernel compares the user alone.
const WRITABLE_PROC = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs'];
const TELLING_PROC = ['/proc/kcore', '/proc/keys', '/proc/key-users', '/proc/timer_list', '/proc/kmsg'];

/** Looks at the machine, once for each start: packages may be installed meanwhile. */
export async function readHostRoot(): Promise<HostRoot> {
  const beside = await Promise.all(BESIDE_USR.map(describePlace));
  return {
    links: beside.flatMap((each) => (each?.target === undefined ? [] : [{ place: each.place, target: each.target }])),
    shown: [
      '/usr',
      ...beside.flatMap((each) => (each !== undefined && each.target === undefined ? [each.place] : [])),
      ...(await listThere(SETTINGS)),
    ],
    coveredProc: [
      ...(await listThere(WRITABLE_PROC)).map((place) => ({ place, by: 'itself' as const })),
      ...(await listThere(TELLING_PROC)).map((place) => ({ place, by: 'nothing' as const })),
    ],
  };
}

async function describePlace(place: string): Promise<{ place: string; target?: string } | undefined> {
  const found = await lstat(place).catch(() => undefined);
  if (found === undefined) return undefined;
  return found.isSymbolicLink() ? { place, target: await readlink(place) } : { place };
}

async function listThere(places: readonly string[]): Promise<string[]> {
  const there = await Promise.all(
    places.map((place) =>
      access(place, constants.F_OK).then(
        () => true,
        () => false,
      ),
    ),
  );
  return places.filter((_, index) => there[index]);
}
