import { rm } from 'node:fs/promises';
import { type RunningStandalone, startStandalone } from '@attache/standalone';
import { type Api, createApi } from '../api.ts';
import { copyTemplateFolder } from './template-folder.ts';
import { testConfig } from './test-config.ts';

/** A stack under test, in this process. */
export type StackUnderTest = RunningStandalone & { dataDir: string; api: Api };

/** Starts the embedded stack on a copy of the template folder; `stop` removes the folder. */
export async function startEmbedded(): Promise<StackUnderTest> {
  const dataDir = await copyTemplateFolder();
  const stack = await startStandalone(testConfig(dataDir));
  return {
    ...stack,
    dataDir,
    api: createApi(stack.url, stack.apiKey),
    async stop() {
      await stack.stop();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
