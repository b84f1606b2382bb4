import { describeDriver } from '@attache/agent-process/contract';
import { createDriver } from '@attache/agent-process/create-driver';
import { example } from '@attache/programs/example';
import { specOf } from './agent-spec.ts';

const program = await example.loadDriver();

describeDriver({
  title: 'the Agent Client Protocol, with the bundled example agent',
  createDriver: (options) => createDriver({ runtime: 'acp', programOf: () => program }, options),
  command: specOf('/').command,
  isResumable: false,
  isSteerable: false,
  namesTurns: true,
  signInDirective: 'fail 32000',
});
