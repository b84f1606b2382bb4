import { setPriority } from 'node:os';
import { startAskingAgent, startCallingAgent, startTalkingAgent } from './busy-agents.ts';
import { startCostlyFiles } from './costly-files.ts';
import { startLargeMessages } from './large-messages.ts';
import type { LoadTarget, StartLoad } from './load.ts';
import { startLongMessages } from './long-messages.ts';
import { startManyStreams } from './many-streams.ts';
import { startSmallReads } from './small-reads.ts';

// Brings one kind of load, in a process of its own: the measuring process must not wait for it. Its parent says where to send it, and later to end it.

const loads: Record<string, StartLoad> = {
  'asking-agent': startAskingAgent,
  'calling-agent': startCallingAgent,
  'costly-files': startCostlyFiles,
  'large-messages': startLargeMessages,
  'long-messages': startLongMessages,
  'many-streams': startManyStreams,
  'small-reads': startSmallReads,
  'talking-agent': startTalkingAgent,
};

// On the machine of a client it would take nothing of the server's processors.
setPriority(19);
const start = loads[process.argv[2] ?? ''];
if (!start) throw new Error(`The load is one of ${Object.keys(loads).join(', ')}.`);
process.once('message', async (target) => {
  const running = await start(target as LoadTarget);
  process.once('message', async () => {
    process.send?.(await running.end(), () => process.disconnect());
  });
  process.send?.('under way');
});
