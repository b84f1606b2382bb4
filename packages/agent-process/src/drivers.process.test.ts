import { fileURLToPath } from 'node:url';
import { createClaudeDriver } from './claude/claude-driver.ts';
import { createCodexDriver } from './codex/codex-driver.ts';
import { describeDriver } from './driver.contract.ts';

const fakeAgent = fileURLToPath(new URL('__fixtures__/fake-agent.ts', import.meta.url));
const commandOf = (dialect: string) => [process.execPath, fakeAgent, dialect];

describeDriver({
  title: 'Claude Code',
  createDriver: createClaudeDriver,
  command: commandOf('claude'),
  isResumable: true,
  signInDirective: 'sign-in',
});

describeDriver({
  title: 'Codex app-server',
  createDriver: createCodexDriver,
  command: commandOf('codex'),
  isResumable: true,
  signInDirective: 'sign-in',
});
