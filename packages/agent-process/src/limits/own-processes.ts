import { readdir, readFile } from 'node:fs/promises';
import type { SpawnedAgent } from '../spawn-agent.ts';

// After the program's name in brackets: state, parent, process group.
const PARENT_FIELD = 1;
const GROUP_FIELD = 2;

export type Process = { pid: number; parent: number; group: number };

/** Lists the processes of an agent: its process group, its descendants, or both. */
export async function listOwnProcesses({ pid, extent }: Pick<SpawnedAgent, 'pid' | 'extent'>): Promise<Set<Process>> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map(readProcess))).filter((each) => each !== undefined);
  return new Set([
    ...(extent === 'descendants' ? [] : all.filter(({ group }) => group === pid)),
    ...(extent === 'group' ? [] : findDescendants(all, pid)),
  ]);
}

/** In a sandbox what has lost its parent becomes a child of process 1 inside, so that the tree holds all. */
function findDescendants(all: readonly Process[], root: number): Process[] {
  const children = Map.groupBy(all, ({ parent }) => parent);
  const found = all.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...(children.get(pid) ?? []));
  return found;
}

/** Undefined if the process has ended. */
async function readProcess(pid: string): Promise<Process | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { pid: Number(pid), parent: Number(fields[PARENT_FIELD]), group: Number(fields[GROUP_FIELD]) };
  } catch {
    return undefined;
  }
}
