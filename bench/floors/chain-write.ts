import { randomUUID } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BareAgent, startBareAgent } from './steps/bare-agent.ts';
import { openDurableSteps } from './steps/durable-steps.ts';
import { readFloorConfig } from './steps/floor-config.ts';
import { openObjectStore } from './steps/object-store.ts';
import { sayReady } from './steps/serve-floor.ts';
import { openWorkQueue } from './steps/work-queue.ts';

// Last of the three: read the delivery; per agent one at a time: read the head of its line, commit `claimed`, read the attachment, GET the bytes
// to a file and check their digest, commit `writing`, write the base64 line into the agent, commit `written`; then, when the
// agent has answered, commit what it said, commit `responded` and commit that it is idle.

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

async function move(id: string, step: string): Promise<void> {
  await steps.move(id, step);
  queue.ring('moved', `${id} ${step}`);
}

async function deliver(id: string): Promise<void> {
  const { agentId = '', attachmentId = '' } = await steps.read(id);
  await move(id, 'claimed');
  const agent = await findAgent(agentId);
  const { key = '', sha256 } = await steps.read(attachmentId);
  const path = join(config.folder, id);
  if ((await store.fetchToFile(key, path, true)) !== sha256) throw new Error('The stored bytes are others.');
  await steps.move(id, 'writing');
  const { answered } = await agent.write({ id, text: TEXT, path, mimeType: 'image/png' });
  await move(id, 'written');
  await answered;
  const outputId = randomUUID();
  await steps.commit(outputId, 'output');
  queue.ring('moved', `${outputId} output`);
  await move(id, 'responded');
  await rm(path);
  await steps.move(id, 'idle');
}

async function take(id: string): Promise<void> {
  const { agentId = '' } = await steps.read(id);
  const before = lanes.get(agentId) ?? Promise.resolve();
  lanes.set(
    agentId,
    before.then(() => deliver(id)),
  );
  void steps.moveRelaxed(id, 'settled');
}

sayReady();
await queue.consume('write', CONCURRENCY, take);
