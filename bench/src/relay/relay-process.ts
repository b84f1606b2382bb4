import { startModelRelay } from '@attache/model-relay';
import { createLogger } from '@attache/telemetry';

// A relay in a process of its own, with two agents. Argument: the model API. Says what the agents are given, as JSON.

const log = createLogger({ service: 'bench', level: 'warn' });
const relay = await startModelRelay({ log });
const agents = (['agt_first', 'agt_second'] as const).map((agentId) =>
  relay.open({
    ...{ agentId, epoch: 1, model: 'm', maxRequestBytes: undefined, errands: [], isInTurn: () => true },
    endpoint: { api: 'anthropic', baseUrl: process.argv[2] ?? '', readKey: async () => 'a-key' },
  }),
);
process.stdout.write(`${JSON.stringify(agents)}\n`);
process.stdin.once('end', () => process.exit(0)).resume();
