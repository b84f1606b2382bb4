import type { SpawnedAgent } from './spawn-agent.ts';
import { within } from './within.ts';

/** Ends a child and its process group: SIGTERM, after `graceMs` SIGKILL. Resolves when the child has ended. */
export async function terminateAgent(
  child: Pick<SpawnedAgent, 'exited' | 'signalGroup'>,
  { graceMs }: { graceMs: number },
): Promise<void> {
  child.signalGroup('SIGTERM');
  if ((await within(child.exited, graceMs)) !== 'timeout') return;
  child.signalGroup('SIGKILL');
  await child.exited;
}
