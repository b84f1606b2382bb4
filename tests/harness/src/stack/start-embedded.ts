import { rm } from 'node:fs/promises';
import { type RunningStandalone, type StandaloneConfig, type Surroundings, startStandalone } from '@attache/standalone';
import { type Api, createApi } from '../api.ts';
import { copyTemplateFolder } from './template-folder.ts';
import { testConfig } from './test-config.ts';

/** A stack under test, in this process. */
export type StackUnderTest = RunningStandalone & { dataDir: string; api: Api };

/** Starts the embedded stack on a copy of the template folder; `stop` removes the folder. */
export async function startEmbedded(
  changes: Partial<StandaloneConfig> = {},
  surroundings: Surroundings = {},
): Promise<StackUnderTest> {
  const dataDir = changes.dataDir ?? (await copyTemplateFolder());
  const stack = await startStandalone(testConfig({ ...changes, dataDir }), surroundings);
  return {
    ...stack,
    dataDir,
    api: createApi(stack.url, stack.apiKey),
    async stop() {
      await stack.stop();
      if (changes.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
    },
  };
}
