import { type FoundAgent, findAgents } from '@attache/infra/agents/find-agents';
import { readEnvironment } from '@attache/infra/config';
import { cacheFolderOf } from '@attache/infra/native/build/find-or-build-server';
import { loadRuntimes, type RuntimeUnderTest } from '@attache/test-agents/runtimes';

export type Runtime = { label: string; profile: string; model: string };
export type Installed = { runtime: RuntimeUnderTest; installed: FoundAgent };

/** Those that are installed; the others are named. */
export async function listInstalled(say: (line: string) => void): Promise<Installed[]> {
  const { found, missing } = await findAgents({ cacheFolder: cacheFolderOf(readEnvironment()) });
  for (const { why } of missing) say(`  left out: ${why}`);
  return (await loadRuntimes()).flatMap((runtime) => {
    const installed = found.find(({ name }) => name === runtime.program);
    return installed === undefined ? [] : [{ runtime, installed }];
  });
}

export const describeRuntime = ({ runtime, installed: { name, version } }: Installed): Runtime => ({
  label: `${runtime.key} (${name} ${version})`,
  profile: runtime.key,
  model: runtime.model,
});
