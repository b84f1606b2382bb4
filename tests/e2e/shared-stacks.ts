import { rm } from 'node:fs/promises';
import { listTemporaryFiles, readStoredState } from '@attache/test-harness';
import type { TestProject } from 'vitest/node';
import { startEmbeddedStack } from './embedded-stack.ts';
import { factsOfHosted, startHostedStack } from './hosted-stack.ts';
import type { StackFacts } from './stack-under-test.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which stack the end-to-end suites start, by project. */
    stack: 'embedded' | 'hosted';
    /** A running stack for each worker, by its number. */
    sharedStacks: StackFacts[];
  }
}

type Shared = { facts: StackFacts; stop(): Promise<void> };

async function startEmbedded(): Promise<Shared> {
  const { facts, dataDir, running } = await startEmbeddedStack({});
  return {
    facts,
    async stop() {
      const exitCode = await running.end('SIGTERM');
      const state = await readStoredState(dataDir);
      const left = { exitCode, temporary: await listTemporaryFiles(dataDir), unsettled: state.unsettledKeys };
      await rm(dataDir, { recursive: true, force: true });
      expectNothingLeft(left);
    },
  };
}

/** What all suites together left on a stack that they shared. */
function expectNothingLeft(left: { exitCode: number | null; temporary: string[]; unsettled: string[] }): void {
  if (left.exitCode === 0 && left.temporary.length === 0 && left.unsettled.length === 0) return;
  throw new Error(`the shared stack did not end clean: ${JSON.stringify(left)}`);
}

/** Vitest's global set-up: one running stack for each worker. Its suites make tenants of their own on it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stack, servers } = project.getProvidedContext();
  const start = async (): Promise<Shared> => {
    if (stack === 'embedded') return startEmbedded();
    const hosted = await startHostedStack(servers, {});
    return { facts: factsOfHosted(hosted), stop: hosted.stop };
  };
  const workers = Number(project.vitest.config.maxWorkers);
  const started = await Promise.allSettled(Array.from({ length: workers }, start));
  const shared = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stopAll = async () => {
    await Promise.all(shared.map((each) => each.stop()));
  };
  const failed = started.find((each) => each.status === 'rejected');
  if (failed) {
    await stopAll();
    throw failed.reason;
  }
  project.provide(
    'sharedStacks',
    shared.map(({ facts }) => facts),
  );
  return stopAll;
}
