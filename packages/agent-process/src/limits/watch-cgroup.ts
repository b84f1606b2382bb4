import type { SpawnedAgent } from '../spawn-agent.ts';
import type { Cgroup } from './cgroup/open-cgroup.ts';
import type { MemoryWatch } from './watch-memory.ts';

const POLL_MS = 500;

/** Ends an agent of whose processes the kernel has ended one for their memory: what is left of it may be anything. */
export function watchCgroup(
  child: Pick<SpawnedAgent, 'exited' | 'signalGroup'>,
  cgroup: Pick<Cgroup, 'look' | 'killCount'>,
  memoryBytes: number | undefined,
): MemoryWatch {
  const look = async () => {
    await cgroup.look();
    if (cgroup.killCount > 0) child.signalGroup('SIGKILL');
  };
  const timer = setInterval(() => void look(), POLL_MS).unref();
  void child.exited.then(() => clearInterval(timer));
  return {
    get excess() {
      return cgroup.killCount > 0 ? `stopped: it needed more than ${memoryBytes} bytes of memory` : undefined;
    },
  };
}
