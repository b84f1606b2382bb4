import { readdir, readFile } from 'node:fs/promises';
import type { SpawnedAgent } from './spawn-agent.ts';

const POLL_MS = 500;
// After the program's name in brackets: state, parent, process group.
const GROUP_FIELD = 2;

export type MemoryWatch = {
  /** Said where the agent was stopped for its memory. */
  readonly excess: string | undefined;
};

/** Kills an agent whose process group holds more resident memory than allowed. Without a limit nothing is watched. */
export function watchMemory(
  child: Pick<SpawnedAgent, 'pid' | 'exited' | 'signalGroup'>,
  limitBytes: number | undefined,
): MemoryWatch {
  const watch: { excess: string | undefined } = { excess: undefined };
  if (limitBytes === undefined) return watch;
  let isLooking = false;
  const look = async () => {
    if (isLooking) return;
    isLooking = true;
    const heldBytes = await readGroupMemory(child.pid);
    isLooking = false;
    if (heldBytes <= limitBytes) return;
    watch.excess = `stopped: it held ${heldBytes} bytes of memory, at most ${limitBytes}`;
    child.signalGroup('SIGKILL');
  };
  const timer = setInterval(() => void look(), POLL_MS).unref();
  void child.exited.then(() => clearInterval(timer));
  return watch;
}

async function readGroupMemory(group: number): Promise<number> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const held = await Promise.all(pids.map((pid) => readMemoryInGroup(pid, group)));
  return held.reduce((sum, each) => sum + each, 0);
}

/** 0 where the process has ended or is of another group. */
async function readMemoryInGroup(pid: string, group: number): Promise<number> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[GROUP_FIELD]) !== group) return 0;
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s*(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}
