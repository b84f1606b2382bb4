import { profileOf } from '@attache/test-agents/runtimes';
import { startModelStub } from '@attache/test-agents/stub/model-stub';
import { findAgentProcesses, readTreeShareBytes, waitUntilNoAgents } from '../../processes/agent-processes.ts';
import { followEvents } from '../../product/follow-events.ts';
import { createSession, endSession, sendMessage, waitUntilResponded } from '../../product/product-calls.ts';
import type { Result } from '../../report/result.ts';
import { summarise } from '../../report/sample.ts';
import type { EmbeddedBench } from '../bench.ts';
import { type Product, startProductWith } from '../start-programs.ts';
import { describeRuntime, type Installed, listInstalled, type Runtime } from './installed-programs.ts';

const ROUNDS = 3;
const MEBIBYTE = 1024 * 1024;
/** Programs are asked once what they take, one after the other. */
const PROBES_MS = 120_000;
const END_MS = 20_000;
const API_KEY = 'sk-test-key-of-the-stub';

type Figures = { startMs: number; outputMs: number; memoryMb: number };

const exampleRuntime: Runtime = { label: 'the example agent', profile: 'example', model: 'example-vision' };
const exampleProfile = { runtime: 'acp', command: ['attache-example-agent'], provider: 'example' };

/** From nothing to an answer: a message to an agent that does not run, and what its processes hold when the turn is over. */
async function measureOnce({ client, pid }: Product, { profile, model }: Runtime): Promise<Figures> {
  const { session, agent } = await createSession(client, { profile, model });
  const followed = await followEvents(client, session.id);
  try {
    const sentAt = performance.now();
    const { id } = await sendMessage(client, session.id, { to: [agent.id], text: 'Say a word.', attachmentIds: [] });
    const claimedAt = await followed.arrival('delivery.claimed', id, 'delivery.failed');
    // It names no delivery.
    const startedAt = await followed.arrival('agent.started', '');
    const outputAt = await followed.arrival('agent.output', id, 'delivery.failed');
    await waitUntilResponded(client, id);
    const [root] = (await findAgentProcesses(pid)).values();
    if (root === undefined) throw new Error(`The process of ${profile} was not found.`);
    const memoryMb = (await readTreeShareBytes(root)) / MEBIBYTE;
    return { startMs: startedAt - claimedAt, outputMs: outputAt - sentAt, memoryMb };
  } finally {
    followed.stop();
    await endSession(client, session.id);
    await waitUntilNoAgents(pid, END_MS);
  }
}

function describeFigures(label: string, figures: readonly Figures[]): Result[] {
  const row = (what: string, unit: Result['unit'], pick: (one: Figures) => number): Result => ({
    what: `${what}, ${label}`,
    unit,
    product: summarise(figures.map(pick)),
  });
  return [
    row('start', 'ms', ({ startMs }) => startMs),
    row('message to first output, started for it', 'ms', ({ outputMs }) => outputMs),
    row('memory of its processes after a turn', 'MB', ({ memoryMb }) => memoryMb),
  ];
}

function startProductOf(installed: readonly Installed[], stubUrl: string): Promise<Product> {
  const profiles = installed.map(({ runtime, installed: { program } }) => {
    return [runtime.key, profileOf(runtime, program, stubUrl, 'everything')] as const;
  });
  const offered = { example: exampleProfile, ...Object.fromEntries(profiles) };
  return startProductWith(offered, { STUB_KEY: API_KEY });
}

async function measureRuntime(product: Product, runtime: Runtime, rounds: number): Promise<Result[]> {
  // The first brings its files from the disk.
  await measureOnce(product, runtime);
  const figures: Figures[] = [];
  for (let round = 0; round < rounds; round += 1) figures.push(await measureOnce(product, runtime));
  return describeFigures(runtime.label, figures);
}

/** The cost of the installed agents of others, with a stub for the model's API that answers at once. For information. */
export async function measureAgents({ counted, say }: Pick<EmbeddedBench, 'counted' | 'say'>): Promise<Result[]> {
  const installed = await listInstalled(say);
  await using started = new AsyncDisposableStack();
  const stub = await startModelStub();
  started.defer(() => stub.stop());
  const product = await startProductOf(installed, stub.url);
  started.defer(() => product.stop());
  await waitUntilNoAgents(product.pid, PROBES_MS);
  const results: Result[] = [];
  for (const runtime of [exampleRuntime, ...installed.map(describeRuntime)]) {
    say(`  ${runtime.label}`);
    results.push(...(await measureRuntime(product, runtime, counted(ROUNDS))));
  }
  return results;
}
