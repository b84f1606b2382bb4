import type { AgentSpec } from '../driver.ts';
import type { SpawnedAgent } from '../spawn-agent.ts';
import { watchCgroup } from './watch-cgroup.ts';
import { watchFolder } from './watch-folder.ts';
import { watchMemory } from './watch-memory.ts';

export type LimitWatch = {
  /** Said where the agent was stopped for what it held. */
  readonly excess: string | undefined;
};

/** Keeps an agent to its limits of memory, processes and disk, which the kernel does not count for it. */
export function watchLimits(child: SpawnedAgent, { folder, limits }: Pick<AgentSpec, 'folder' | 'limits'>): LimitWatch {
  const { cgroup } = child;
  const memory = cgroup === undefined ? watchMemory(child, limits) : watchCgroup(child, cgroup, limits?.memoryBytes);
  const disk = watchFolder(child, folder, limits?.folderBytes);
  return {
    get excess() {
      return memory.excess ?? disk.excess;
    },
  };
}
