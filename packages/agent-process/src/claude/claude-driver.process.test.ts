import { fileURLToPath } from 'node:url';
import { describeDriver } from '../driver.contract.ts';
import { createClaudeDriver } from './claude-driver.ts';

const fakeAgent = fileURLToPath(new URL('../__fixtures__/fake-agent.ts', import.meta.url));

describeDriver({
  title: 'Claude Code',
  createDriver: createClaudeDriver,
  command: [process.execPath, fakeAgent, 'claude'],
  isResumable: true,
  signInDirective: 'sign-in',
});
