import { fileURLToPath } from 'node:url';
import { describeDriver } from '@attache/agent-process/contract';
import { createDriver } from '@attache/agent-process/create-driver';
import { codexDriver } from './codex-driver.ts';

describeDriver({
  title: 'Codex app-server',
  createDriver: (options) => createDriver({ runtime: 'codex-app-server', programOf: () => codexDriver }, options),
  command: [process.execPath, fileURLToPath(new URL('./__fixtures__/fake-codex.ts', import.meta.url))],
  isResumable: true,
  isSteerable: true,
  namesTurns: true,
  signInDirective: 'sign-in',
});
