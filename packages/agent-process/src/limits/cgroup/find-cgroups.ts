import path from 'node:path';

/** Folders in which a cgroup for an agent may be made. */
export type CgroupFolders = { version: 1; memory: string; pids: string } | { version: 2; both: string };

/** The leaf in which systemd puts a gateway by `DelegateSubgroup=`: the folder above it is then the gateway's to use. */
const GATEWAY_SUBGROUP = 'attache-gateway';

type Mount = { place: string; root: string; type: string; options: readonly string[] };

/**
 * Finds the folders in which this process may create cgroups, if the system lets it, from `/proc/self/cgroup` and `/proc/self/mountinfo`. In version 2, only
 * next to a leaf that was delegated by name: a cgroup with processes of its own cannot limit children. Undefined if there is no such folder.
 */
export function findCgroups(memberships: string, mountinfo: string): CgroupFolders | undefined {
  const mounts = mountinfo.split('\n').map(readMount);
  const own = new Map(memberships.split('\n').flatMap(readMembership));
  const folderOf = (controller: string) => {
    const mount = mounts.find(({ type, options }) => type === 'cgroup' && options.includes(controller));
    return placeOf(mount, own.get(controller));
  };
  const [memory, pids] = [folderOf('memory'), folderOf('pids')];
  if (memory !== undefined && pids !== undefined) return { version: 1, memory, pids };
  const unified = placeOf(
    mounts.find(({ type }) => type === 'cgroup2'),
    own.get(''),
  );
  if (unified === undefined || path.basename(unified) !== GATEWAY_SUBGROUP) return undefined;
  return { version: 2, both: path.dirname(unified) };
}

/** `4:memory,hugetlb:/a` names the controllers of one hierarchy; version 2 has none. */
function readMembership(line: string): [string, string][] {
  const [, controllers = '', place = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
  return place === '' ? [] : controllers.split(',').map((controller) => [controller, place]);
}

function readMount(line: string): Mount {
  const [fields = '', rest = ''] = line.split(' - ');
  const [, , , root = '', place = ''] = fields.split(' ');
  const [type = '', , options = ''] = rest.split(' ');
  return { place, root, type, options: options.split(',') };
}

/** A folder of a hierarchy as this process sees it: a container may have only a part of it mounted. */
function placeOf(mount: Mount | undefined, own: string | undefined): string | undefined {
  if (mount === undefined || own === undefined) return undefined;
  const beneath = path.relative(mount.root, own);
  return beneath.startsWith('..') ? undefined : path.join(mount.place, beneath);
}
