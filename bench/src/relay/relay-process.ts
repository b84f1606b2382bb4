import { hash } from 'node:crypto';
import { startModelRelay } from '@attache/model-relay';
import { createLogger } from '@attache/telemetry';
import { refusedPicture } from './request-bodies.ts';

// A relay in a process of its own, with two agents, and a third one whose model has refused a picture. Argument: the model API. Says what the
// agents are given, as JSON.

const log = createLogger({ service: 'bench', level: 'warn' });
const relay = await startModelRelay({ log });
const refused = new Map([
  [hash('sha256', refusedPicture), { text: '[a file was refused by the model: file_refused]' }],
]);
const agents = (['agt_first', 'agt_second', 'agt_third'] as const).map((agentId) =>
  relay.open({
    ...(agentId === 'agt_third' ? { replacements: () => refused } : {}),
    ...{ agentId, epoch: 1, model: 'm', maxRequestBytes: undefined, errands: [], isInTurn: () => true },
    endpoint: { api: 'anthropic', baseUrl: process.argv[2] ?? '', readKey: async () => 'a-key' },
  }),
);
process.stdout.write(`${JSON.stringify(agents)}\n`);
process.stdin.once('end', () => process.exit(0)).resume();
