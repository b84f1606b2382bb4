import { fileURLToPath } from 'node:url';
import { describeDriver } from '../driver.contract.ts';
import { createCodexDriver } from './codex-driver.ts';

const fakeAgent = fileURLToPath(new URL('../__fixtures__/fake-agent.ts', import.meta.url));

describeDriver({
  title: 'Codex app-server',
  createDriver: createCodexDriver,
  command: [process.execPath, fakeAgent, 'codex'],
  isResumable: true,
  signInDirective: 'sign-in',
});
