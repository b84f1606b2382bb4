import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AgentSpec, agentFolders, type SpawnedAgent, spawnAgent } from '@attache/agent-process';
import { within } from '../report/sample.ts';

const FIRST_OUTPUT_MS = 30_000;

/** A folder in which commands are started as agents are, in a sandbox or without. */
export type AgentPlace = AsyncDisposable & {
  /** Starts a command, and waits for the first that it says. */
  start(command: readonly string[], options?: StartOptions): Promise<{ child: SpawnedAgent; said: string }>;
};

export type StartOptions = { isBoxed?: boolean; relaySocketPath?: string };

/** Makes the folder; all of it is gone at the end. */
export async function openAgentPlace(): Promise<AgentPlace> {
  const root = await mkdtemp(join(tmpdir(), 'attache-bench-sandbox-'));
  const folder = join(root, 'agent');
  const { home, temporary, work, config, files } = agentFolders(folder);
  for (const each of [home, temporary, work, config, files]) await mkdir(each, { recursive: true, mode: 0o700 });
  return {
    async start(command, options = {}) {
      const spec = describe(folder, command, options);
      const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: home };
      const inherited = { PATH: process.env.PATH ?? '' };
      const outcome = await spawnAgent(spec, settings, { inherited, redact: (text) => text });
      if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
      const { child } = outcome;
      const first = child.stdout[Symbol.asyncIterator]().next();
      const { value } = await within(FIRST_OUTPUT_MS, `The output of ${command[0]}`, first);
      return { child, said: String(value) };
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
}

function describe(folder: string, command: readonly string[], { isBoxed, relaySocketPath }: StartOptions): AgentSpec {
  return {
    ...{ agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA', command, args: [], env: {}, folder, socketPath: '', token: '' },
    ...{ provider: 'none', model: 'default', modelTakes: {}, permissionMode: 'gated', marker: 'bench.1' },
    ...{ lineBytes: 1_000_000, turnMs: FIRST_OUTPUT_MS, startMs: FIRST_OUTPUT_MS },
    ...(isBoxed ? { sandbox: { readOnly: [], privateFolders: [] } } : {}),
    relaySocketPath,
  };
}
