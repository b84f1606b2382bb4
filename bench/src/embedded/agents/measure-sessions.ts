import { freemem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { findAgentProcesses, waitUntilNoAgents } from '../../processes/agent-processes.ts';
import { readOwnBytes } from '../../processes/process-cost.ts';
import type { HttpClient } from '../../product/http-client.ts';
import { createSession, sendMessage, waitUntilResponded } from '../../product/product-calls.ts';
import type { Result } from '../../report/result.ts';
import { pause, summarise } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { startProductWith } from '../start-programs.ts';

const SESSIONS = 200;
const WARM_SESSIONS = 2;
const AT_ONCE = 4;
const MAX_MB = 2;
const MEBIBYTE = 1024 * 1024;
const PROBE_MS = 30_000;
/** Remains of the work are freed in it, if the collector runs. */
const REST_MS = 3_000;

/** The memory of one example agent, and the memory that is left to others. */
const AGENT_BYTES = 60_000_000;
const SPARE_BYTES = 4_000_000_000;

type LiveAgent = { label: string; profile: { runtime: string; command: string[]; provider: string } };

const exampleAgent: LiveAgent = {
  label: 'example agents',
  profile: { runtime: 'acp', command: ['attache-example-agent'], provider: 'example' },
};
const smallAgent: LiveAgent = {
  label: 'agents that are shell scripts, for want of memory',
  profile: {
    ...exampleAgent.profile,
    command: ['/bin/sh', fileURLToPath(new URL('small-agent.sh', import.meta.url))],
  },
};

const chooseAgent = (count: number): LiveAgent =>
  freemem() > count * AGENT_BYTES + SPARE_BYTES ? exampleAgent : smallAgent;

async function openSession(client: HttpClient): Promise<void> {
  const { session, agent } = await createSession(client);
  const { id } = await sendMessage(client, session.id, { to: [agent.id], text: 'hello', attachmentIds: [] });
  await waitUntilResponded(client, id);
}

async function openSessions(client: HttpClient, count: number): Promise<void> {
  let left = count;
  const work = async () => {
    while (left > 0) {
      left -= 1;
      await openSession(client);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/** The cost of a session with a live but idle agent for the product itself, apart from the agent's own process. */
export async function measureSessions({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  const count = counted(SESSIONS);
  const { label, profile } = chooseAgent(WARM_SESSIONS + count);
  say(`  ${count} live sessions of ${label}`);
  const product = await startProductWith({ example: profile });
  try {
    await waitUntilNoAgents(product.pid, PROBE_MS);
    await openSessions(product.client, WARM_SESSIONS);
    await pause(REST_MS);
    const before = await readOwnBytes(product.pid);
    await openSessions(product.client, count);
    await pause(REST_MS);
    const after = await readOwnBytes(product.pid);
    const { size } = await findAgentProcesses(product.pid);
    if (size !== WARM_SESSIONS + count) throw new Error(`${size} agents live, of ${WARM_SESSIONS + count} sessions.`);
    return [
      {
        what: `memory of the product itself for each of ${count} live sessions of ${label}`,
        unit: 'MB',
        product: summarise([(after - before) / MEBIBYTE / count]),
        target: { of: 'product', atMost: MAX_MB },
      },
    ];
  } finally {
    await product.stop();
  }
}
