import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { awaitCarried, keepProbes, probedTemplateIn } from '@attache/test-harness';
import { startEmbeddedStack } from './embedded-stack.ts';
import { seeing } from './profiles.ts';

// Programs are asked in the order of their profiles: once this one was, all were.
const LAST = 'the-last-one';

/**
 * Starts a stack once in a test run, waits until it has asked the program of every profile what it takes, and keeps its data folder next to the bundle:
 * stacks that start on a copy of it ask none again, which takes two thirds of a start.
 */
export async function makeProbedTemplate(bundle: string): Promise<void> {
  const { running, dataDir } = await startEmbeddedStack({}, { profiles: { [LAST]: seeing } });
  try {
    await awaitCarried(running.api, [LAST]);
  } finally {
    await running.end('SIGTERM');
  }
  await keepProbes(dataDir, bundle);
  for (const name of ['profiles.json', 'log']) await rm(join(dataDir, name));
  await rename(dataDir, probedTemplateIn(bundle));
}
