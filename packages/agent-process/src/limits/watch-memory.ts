import { readFile } from 'node:fs/promises';
import type { AgentLimits } from '../driver.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { listOwnProcesses, type Process } from './own-processes.ts';

const POLL_MS = 500;
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

async function readHeld(child: Pick<SpawnedAgent, 'pid' | 'extent'>): Promise<Held> {
  const own = await listOwnProcesses(child);
  const memory = await Promise.all([...own].map(readMemory));
  return { bytes: memory.reduce((sum, each) => sum + each, 0), processes: own.size - OTHER_PROCESSES[child.extent] };
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
