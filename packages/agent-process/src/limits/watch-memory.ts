import { readdir, readFile } from 'node:fs/promises';
import type { AgentLimits } from '../driver.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';

const POLL_MS = 500;
// After the program's name in brackets: state, parent, process group.
const PARENT_FIELD = 1;
const GROUP_FIELD = 2;
/** Processes that are not the agent's: bubblewrap, the watchdog, the first process inside and its forwarder; of a wrapper only the watchdog is known. */
const OTHER_PROCESSES = { group: 0, descendants: 4, both: 1 } as const;

export type MemoryWatch = {
  /** Said where the agent was stopped for what it held. */
  readonly excess: string | undefined;
};

/** Kills an agent that holds more resident memory than allowed, or in a sandbox more processes. Without limits nothing is watched. */
export function watchMemory(
  child: Pick<SpawnedAgent, 'pid' | 'exited' | 'signalGroup' | 'extent'>,
  { memoryBytes: limitBytes, processes: maxProcesses }: Pick<AgentLimits, 'memoryBytes' | 'processes'> = {},
): MemoryWatch {
  const watch: { excess: string | undefined } = { excess: undefined };
  if (limitBytes === undefined && maxProcesses === undefined) return watch;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const held = await readHeld(child);
    isLooking = false;
    watch.excess ??= describeExcess(held, limitBytes, maxProcesses);
    if (watch.excess !== undefined) child.signalGroup('SIGKILL');
  };
  const timer = setInterval(() => void look(), POLL_MS).unref();
  void child.exited.then(() => clearInterval(timer));
  return watch;
}

type Held = { bytes: number; processes: number };

function describeExcess(
  { bytes, processes }: Held,
  limitBytes = Infinity,
  maxProcesses = Infinity,
): string | undefined {
  if (bytes > limitBytes) return `stopped: it held ${bytes} bytes of memory, at most ${limitBytes}`;
  if (processes > maxProcesses) return `stopped: it ran ${processes} processes, at most ${maxProcesses}`;
  return undefined;
}

type Process = { pid: number; parent: number; group: number };

async function readHeld({ pid, extent }: Pick<SpawnedAgent, 'pid' | 'extent'>): Promise<Held> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const all = (await Promise.all(pids.map(readProcess))).filter((each) => each !== undefined);
  const own = new Set([
    ...(extent === 'descendants' ? [] : all.filter(({ group }) => group === pid)),
    ...(extent === 'group' ? [] : findDescendants(all, pid)),
  ]);
  const memory = await Promise.all([...own].map(readMemory));
  return { bytes: memory.reduce((sum, each) => sum + each, 0), processes: own.size - OTHER_PROCESSES[extent] };
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

/** 0 where the process has ended. */
async function readMemory({ pid }: Process): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
