import { rm } from 'node:fs/promises';
import {
  countUnsettledOfDatabase,
  countUnsettledOfFolder,
  listTemporaryFiles,
  type Unsettled,
} from '@attache/test-harness';
import type { TestServers } from '@attache/test-servers';
import type { TestProject } from 'vitest/node';
import { startEmbeddedStack } from './embedded-stack.ts';
import { factsOfHosted, startHostedStack } from './hosted-stack.ts';
import type { StackFacts } from './stack-under-test.ts';
import { waitForProbes } from './wait-for-probes.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Which stack the end-to-end suites start, by project. */
    stack: 'embedded' | 'hosted';
    /** A running stack for each worker, by its number. */
    sharedStacks: StackFacts[];
  }
}

/** A promise of one gateway must hold for several, whichever of them has a session. */
const GATEWAYS = 3;

/** Profiles without a row of their own to which suites send pictures. */
const pictured = ['seeing', 'late', 'vouched'];

type Shared = { facts: StackFacts; stop(): Promise<void> };

async function startEmbedded(): Promise<Shared> {
  const { facts, dataDir, running } = await startEmbeddedStack({});
  return {
    facts,
    async stop() {
      const exitCode = await running.end('SIGTERM');
      const unsettled = await countUnsettledOfFolder(dataDir);
      const temporaryFiles = await listTemporaryFiles(dataDir);
      await rm(dataDir, { recursive: true, force: true });
      expectCleanEnd({ exitCodes: [exitCode], temporaryFiles, unsettled });
    },
  };
}

async function startHosted(servers: TestServers): Promise<Shared> {
  const hosted = await startHostedStack(servers, {}, { gatewayCount: GATEWAYS });
  return {
    facts: factsOfHosted(hosted),
    async stop() {
      const all = [...Object.values(hosted.services), ...hosted.moreGateways.map(({ service }) => service)];
      const exitCodes = await Promise.all(all.map((service) => service.end('SIGTERM')));
      const unsettled = await countUnsettledOfDatabase(hosted.database.superuserUrl);
      await hosted.stop();
      expectCleanEnd({ exitCodes, temporaryFiles: [], unsettled });
    },
  };
}

type End = { exitCodes: (number | null)[]; temporaryFiles: string[]; unsettled: Unsettled };

/** All suites together leave nothing half done on a stack that they shared. */
function expectCleanEnd(end: End): void {
  const { blobs, reservedBytes, deadLetters } = end.unsettled;
  const counts = [...end.exitCodes, end.temporaryFiles.length, blobs, reservedBytes, deadLetters];
  if (counts.some((count) => count !== 0)) throw new Error(`a shared stack did not end clean: ${JSON.stringify(end)}`);
}

/** Vitest's global set-up: one running stack for each worker. Its suites make tenants of their own on it. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stack, servers } = project.getProvidedContext();
  const start = () => (stack === 'embedded' ? startEmbedded() : startHosted(servers));
  const workers = Number(project.vitest.config.maxWorkers);
  const started = await Promise.allSettled(Array.from({ length: workers }, start));
  const shared = started.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const stopAll = async () => {
    await Promise.all(shared.map((each) => each.stop()));
  };
  const probed = await Promise.allSettled(shared.map(({ facts }) => waitForProbes(facts, pictured)));
  const failed = [...started, ...probed].find((each) => each.status === 'rejected');
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
