import { fileURLToPath } from 'node:url';
import { describeDriver } from '@attache/agent-process/contract';
import { createDriver } from '@attache/agent-process/create-driver';
import { claudeDriver } from './claude-driver.ts';

describeDriver({
  title: 'Claude Code',
  createDriver: (options) => createDriver({ runtime: 'claude-stream-json', programOf: () => claudeDriver }, options),
  command: [process.execPath, fileURLToPath(new URL('./__fixtures__/fake-claude.ts', import.meta.url))],
  isResumable: true,
  isSteerable: false,
  namesTurns: false,
  signInDirective: 'sign-in',
});
