import { describeDriver } from '@attache/agent-process/contract';
import { createDrivers } from '@attache/agent-process/drivers';
import { specOf } from './agent-spec.ts';

describeDriver({
  title: 'the Agent Client Protocol, with the bundled example agent',
  createDriver: (options) => createDrivers(options).acp,
  command: specOf('/').command,
  isResumable: false,
  signInDirective: 'fail 32000',
});
