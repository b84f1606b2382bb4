import { profileSchema } from '@attache/contracts';
import { type FoundAgent, findAgents } from '@attache/infra/agents/find-agents';
import { cacheFolderOf } from '@attache/infra/native/find-or-build-server';
import { type StackUnderTest, startEmbedded, testConfig } from '@attache/test-harness';
import { profileOf, type RuntimeUnderTest, runtimesUnderTest } from './runtimes.ts';
import { type ModelStub, startModelStub } from './stub/model-stub.ts';

/** The embedded stack with every installed agent as a profile, and the model behind them. */
export type AgentsStack = StackUnderTest & { stub: ModelStub };

export type InstalledRuntime = RuntimeUnderTest & { installed: FoundAgent };

/** The runtimes whose programs are installed. Where all must be there, a missing one is an error. */
export async function listInstalled(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<InstalledRuntime[]> {
  const { found, missing } = await findAgents({ cacheFolder: cacheFolderOf(environment) });
  if (environment.CI === 'true' && missing.length > 0) throw new Error(missing.map(({ why }) => why).join('\n'));
  return runtimesUnderTest.flatMap((runtime) => {
    const installed = found.find(({ name }) => name === runtime.program);
    return installed === undefined ? [] : [{ ...runtime, installed }];
  });
}

/** Profiles `<key>` and `<key>-text`, the latter with a model that takes only text. */
export async function openAgentsStack(
  runtimes: readonly InstalledRuntime[],
  limits: (typeof profileSchema)['_input']['limits'] = {},
): Promise<AgentsStack> {
  const stub = await startModelStub();
  const profiles = runtimes.flatMap((runtime) =>
    (['everything', 'text'] as const).map((ability) => {
      const profile = profileOf(runtime, runtime.installed.program, stub.url, ability);
      const name = ability === 'text' ? `${runtime.key}-text` : runtime.key;
      return [name, profileSchema.parse({ ...profile, limits })] as const;
    }),
  );
  const { readVariable } = testConfig({ dataDir: '' });
  const stack = await startEmbedded({
    profiles: Object.fromEntries(profiles),
    readVariable: (name: string) => (name === 'STUB_KEY' ? 'sk-test-key-of-the-stub' : readVariable(name)),
  });
  return {
    ...stack,
    stub,
    async stop() {
      await stack.stop();
      await stub.stop();
    },
  };
}
