import { fileURLToPath } from 'node:url';
import { describeDriver } from '@attache/agent-process/contract';
import { createDriver } from '@attache/agent-process/create-driver';
import { piDriver } from './pi-driver.ts';

describeDriver({
  title: 'pi',
  createDriver: (options) => createDriver({ runtime: 'pi-rpc', programOf: () => piDriver }, options),
  command: [process.execPath, fileURLToPath(new URL('./__fixtures__/fake-pi.ts', import.meta.url))],
  isResumable: true,
  signInDirective: 'sign-in',
});
