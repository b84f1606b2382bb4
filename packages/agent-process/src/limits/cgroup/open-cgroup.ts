import { mkdir, readdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AgentLimits } from '../../driver.ts';
import { type CgroupFolders, findCgroups } from './find-cgroups.ts';

const PREFIX = 'attache-agent-';
const REMOVE_TRIES = 100;
const REMOVE_PAUSE_MS = 50;
/** Processes of a sandbox that are not the agent's. */
const OTHER_PROCESSES = 4;

/** A cgroup of one agent, which limits all that it starts. */
export type Cgroup = {
  /** From now on the process, and what it starts, is limited. */
  add(pid: number): Promise<void>;
  /** Looks how many of its processes the kernel has ended for their memory. */
  look(): Promise<void>;
  /** As last looked at. */
  readonly killCount: number;
  /** Looks again, and removes it once all of it has ended. */
  remove(): Promise<void>;
};

type Limits = Pick<AgentLimits, 'memoryBytes' | 'processes'>;

/** Makes a cgroup with these limits; undefined where none can be made here, and where there is nothing to limit. */
export async function openCgroup(
  name: string,
  limits: Limits = {},
  find: () => Promise<CgroupFolders | undefined> = findHere,
): Promise<Cgroup | undefined> {
  if (limits.memoryBytes === undefined && limits.processes === undefined) return undefined;
  const found = await find();
  if (found === undefined) return undefined;
  const files = filesOf(found, `${PREFIX}${process.pid}-${name}`);
  try {
    for (const folder of files.folders) await mkdir(folder);
    if (limits.memoryBytes !== undefined) await writeLimits(files.memory, String(limits.memoryBytes));
    if (limits.processes !== undefined) await writeFile(files.pids, String(limits.processes + OTHER_PROCESSES));
  } catch {
    // The cgroup was not delegated after all: memory and processes are watched instead.
    await removeAll(files.folders, 1);
    return undefined;
  }
  let killCount = 0;
  const look = async () => {
    killCount = Math.max(killCount, await countKills(files.kills));
  };
  return {
    look,
    get killCount() {
      return killCount;
    },
    async add(pid) {
      for (const folder of files.folders) await writeFile(path.join(folder, 'cgroup.procs'), String(pid));
    },
    async remove() {
      await look();
      await removeAll(files.folders, REMOVE_TRIES);
    },
  };
}

let here: Promise<CgroupFolders | undefined> | undefined;

/** Looked for once: a process does not change its place. */
function findHere(): Promise<CgroupFolders | undefined> {
  here ??= findAndPrepare();
  return here;
}

async function findAndPrepare(): Promise<CgroupFolders | undefined> {
  const read = (file: string) => readFile(file, 'utf8').catch(() => '');
  const found = findCgroups(await read('/proc/self/cgroup'), await read('/proc/self/mountinfo'));
  if (found === undefined) return undefined;
  try {
    if (found.version === 2) await writeFile(path.join(found.both, 'cgroup.subtree_control'), '+memory +pids');
    // Cgroups of an earlier life are empty by now. One of another gateway may be so too, for a moment: its agent has ended, and it has not looked why.
    for (const parent of found.version === 2 ? [found.both] : [found.memory, found.pids])
      for (const name of await readdir(parent))
        if (name.startsWith(PREFIX) && !isInUse(name)) await rmdir(path.join(parent, name)).catch(() => undefined);
    return found;
  } catch {
    return undefined;
  }
}

/** Whether the gateway that made a cgroup lives. */
function isInUse(name: string): boolean {
  const pid = Number(name.slice(PREFIX.length).split('-', 1)[0]);
  try {
    return Number.isSafeInteger(pid) && pid > 0 && process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

type CgroupFiles = { folders: string[]; memory: string[]; pids: string; kills: string };

function filesOf(found: CgroupFolders, name: string): CgroupFiles {
  if (found.version === 2) {
    const folder = path.join(found.both, name);
    const [max, swap] = ['memory.max', 'memory.swap.max'].map((file) => path.join(folder, file));
    return {
      ...{ folders: [folder], memory: [max as string, swap as string] },
      ...{ pids: path.join(folder, 'pids.max'), kills: path.join(folder, 'memory.events') },
    };
  }
  const [memory, pids] = [path.join(found.memory, name), path.join(found.pids, name)];
  return {
    ...{ folders: [memory, pids], memory: [path.join(memory, 'memory.limit_in_bytes')] },
    ...{ pids: path.join(pids, 'pids.max'), kills: path.join(memory, 'memory.oom_control') },
  };
}

/** The second is of swap, which a kernel may not count: none is given. */
async function writeLimits([max = '', swap]: readonly string[], limit: string): Promise<void> {
  await writeFile(max, limit);
  if (swap !== undefined) await writeFile(swap, '0').catch(() => undefined);
}

async function countKills(file: string): Promise<number> {
  const events = await readFile(file, 'utf8').catch(() => '');
  return Number(/^oom_kill (\d+)$/m.exec(events)?.[1] ?? 0);
}

/** A process that has just ended may still be there for a moment. */
async function removeAll(folders: readonly string[], tries: number): Promise<void> {
  for (const folder of folders) {
    for (let left = tries; left > 0; left -= 1) {
      const isGone = await rmdir(folder).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
      );
      if (isGone) break;
      if (left > 1) await delay(REMOVE_PAUSE_MS);
    }
  }
}
