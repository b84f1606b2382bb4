import { hash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type BareAgent, startBareAgent } from './steps/bare-agent.ts';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { openObjectStore } from './steps/object-store.ts';
import { sayReady } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// Last of the three: per agent one at a time: read the head of its line with what it names, commit `claimed`, GET the bytes and check
// their digest, commit `writing`, write the base64 line into the agent, commit `written`; then, when the agent has answered, commit
// what it said and commit `responded` with the agent idle again.

const CONCURRENCY = 16;
/** Makes the example agent answer at once: it is the same program on both sides, and its own work is not measured. */
const TEXT = 'example: refuse';

const config = readFloorConfig();
const steps = openDurableSteps(config.databaseUrl);
const store = openObjectStore(config.store);
const queue = await openWorkQueue(config.natsUrl);
const agents = new Map<string, Promise<BareAgent>>();
const lanes = new Map<string, Promise<void>>();

async function startAgent(agentId: string): Promise<BareAgent> {
  const folder = join(config.folder, agentId);
  await mkdir(folder, { recursive: true });
  return startBareAgent(config.agentCommand, folder);
}

function findAgent(agentId: string): Promise<BareAgent> {
  const found = agents.get(agentId) ?? startAgent(agentId);
  agents.set(agentId, found);
  return found;
}

type Delivery = { id: string; agentId: string; sessionId: string };

/** Commits the delivery's next step, and rings. */
async function move({ id, agentId, sessionId }: Delivery, step: string, changesAgent: boolean): Promise<void> {
  await steps.commit({
    ...{ step, record: { id }, isTimed: true, log: { id: sessionId, events: 1, about: id } },
    ...(changesAgent ? { counter: agentId } : {}),
  });
  queue.ring('log', sessionId);
}

async function deliver(id: string): Promise<void> {
  const { agentId = '', sessionId = '', key = '', sha256 } = await steps.readWithNamed(id);
  const delivery: Delivery = { id, agentId, sessionId };
  await move(delivery, 'claimed', true);
  const agent = await findAgent(agentId);
  const bytes = await store.fetch(key);
  if (hash('sha256', bytes) !== sha256) throw new Error('The stored bytes are others.');
  await steps.commit({ step: 'writing', record: { id } });
  const { answered } = await agent.write({ id, text: TEXT, bytes, mimeType: 'image/png' });
  await move(delivery, 'written', false);
  await answered;
  await steps.commit({ step: 'output', log: { id: sessionId, events: 1, about: id } });
  queue.ring('log', sessionId);
  await move(delivery, 'responded', true);
}

async function take(messageId: string, text: string): Promise<void> {
  const [id = '', agentId = ''] = text.split(',');
  const before = lanes.get(agentId) ?? Promise.resolve();
  lanes.set(
    agentId,
    before.then(() => deliver(id)),
  );
  void steps.moveMessage(messageId, 'settled');
}

sayReady();
await queue.consume('write', CONCURRENCY, take);
