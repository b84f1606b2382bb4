import { type Followed, followEvents, followSteps } from '../follow-events.ts';
import {
  createSession,
  parseAnswer,
  postJson,
  putFile,
  readUpload,
  sendMessage,
  waitUntilInspected,
} from '../product-calls.ts';
import { hashOf, makeSound } from '../random-bodies.ts';
import { compare, type Result, type Target } from '../result.ts';
import { interleave, pause, type Sides, time } from '../sample.ts';
import type { HostedBench } from './bench.ts';

// The agent refuses at once: it is the same program on both sides, and what is measured is the way to it.
const TEXT = 'example: refuse';
const AGENTS = 4;
const IN_FLIGHT = 16;
const REST_MS = 10;

/** A way to bring one stored file to one agent, up to `written` and up to the end of the turn. */
type Way = {
  deliver(agent: number, client: number): Promise<{ writtenMs: number; ended: Promise<unknown> }>;
  stop(): void;
};

/** A sound that both sides have stored: of pictures an agent takes only twenty until it is started anew. */
async function storeSound({ product, floors }: HostedBench, sessionId: string, sizeBytes: number) {
  const bytes = makeSound(sizeBytes);
  const file = { bytes, sizeBytes, mimeType: 'audio/wav', name: 'sound.wav' };
  const { attachment } = readUpload(await putFile(product.client, sessionId, file));
  if (attachment.sha256 !== hashOf(bytes)) throw new Error('The answer to an upload names another digest.');
  await waitUntilInspected(product.client, attachment.id);
  const { id } = parseAnswer<{ id: string }>(await putFile(floors.upload, 'none', file), 201);
  await floors.waitUntilIdle();
  return { product: attachment.id, floor: id };
}

async function openProductWay(bench: HostedBench, sizeBytes: number): Promise<{ way: Way; floorId: string }> {
  const { client, clients } = bench.product;
  const { session } = await createSession(client, { agents: AGENTS, model: 'example-omni' });
  const stored = await storeSound(bench, session.id, sizeBytes);
  const followed = await followEvents(client, session.id);
  const deliver: Way['deliver'] = async (agent, connection) => {
    const to = session.agents[agent]?.id;
    const through = clients[connection];
    if (to === undefined || !through) throw new Error('There is no such agent or connection.');
    const sentAt = performance.now();
    const delivery = await sendMessage(through, session.id, { to: [to], text: TEXT, attachmentIds: [stored.product] });
    const writtenAt = await followed.arrival('delivery.written', delivery.id, 'delivery.failed');
    const ended = followed.arrival('delivery.responded', delivery.id, 'delivery.failed');
    return { writtenMs: writtenAt - sentAt, ended };
  };
  return { way: { deliver, stop: followed.stop }, floorId: stored.floor };
}

async function openFloorWay(bench: HostedBench, attachmentId: string, name: string): Promise<Way> {
  const { chain } = bench.floors;
  const [first] = chain;
  if (!first) throw new Error('There is no connection to the floor.');
  const followed: Followed = await followSteps(first, name);
  return {
    async deliver(agent, connection) {
      const sentAt = performance.now();
      const answer = await postJson(chain[connection] ?? first, '/', {
        sessionId: name,
        agentId: `${name}-${agent}`,
        attachmentId,
      });
      const { id } = parseAnswer<{ id: string }>(answer, 202);
      const writtenAt = await followed.arrival('written', id);
      return { writtenMs: writtenAt - sentAt, ended: followed.arrival('responded', id) };
    },
    stop: followed.stop,
  };
}

async function deliverOnce(way: Way): Promise<number> {
  const { writtenMs, ended } = await way.deliver(0, 0);
  await ended;
  await pause(REST_MS);
  return writtenMs;
}

/** Keeps sixteen messages in flight over four agents; answers how many per second were written. */
async function deliverMany(way: Way, messageCount: number): Promise<number> {
  let sent = 0;
  const ends: Promise<unknown>[] = [];
  const work = async (_: unknown, worker: number) => {
    while (sent < messageCount) {
      sent += 1;
      const { ended } = await way.deliver(worker % AGENTS, worker);
      ends.push(ended);
    }
  };
  const { tookMs } = await time(() => Promise.all(Array.from({ length: IN_FLIGHT }, work)));
  await Promise.all(ends);
  return (ends.length / tookMs) * 1000;
}

async function withWays<T>(
  bench: HostedBench,
  sizeBytes: number,
  measure: (ways: Sides<Way>) => Promise<T>,
): Promise<T> {
  const { way: product, floorId } = await openProductWay(bench, sizeBytes);
  const floor = await openFloorWay(bench, floorId, `agent-${floorId}`);
  try {
    // The agents start with their first message.
    for (let agent = 0; agent < AGENTS; agent += 1) {
      await (await product.deliver(agent, 0)).ended;
      await (await floor.deliver(agent, 0)).ended;
    }
    return await measure({ product, floor });
  } finally {
    product.stop();
    floor.stop();
  }
}

async function measureOne(bench: HostedBench, label: string, sizeBytes: number, atMost: number): Promise<Result> {
  bench.say(`  message to written, ${label}`);
  const counted = bench.counted(40);
  const samples = await withWays(bench, sizeBytes, ({ product, floor }) =>
    interleave(
      { warm: Math.min(4, counted), counted },
      { floor: () => deliverOnce(floor), product: () => deliverOnce(product) },
    ),
  );
  return compare({ what: `message to written, ${label}`, unit: 'ms', target: { of: 'ratio', atMost } }, samples);
}

async function measureMany(bench: HostedBench, label: string, sizeBytes: number, target?: Target): Promise<Result> {
  bench.say(`  sixteen in flight, ${label}`);
  const messages = Math.max(2 * IN_FLIGHT, bench.counted(64));
  const samples = await withWays(bench, sizeBytes, ({ product, floor }) =>
    interleave(
      { warm: 1, counted: bench.counted(6) },
      { floor: () => deliverMany(floor, messages), product: () => deliverMany(product, messages) },
    ),
  );
  const what = `deliveries written, sixteen in flight over four agents, ${label}`;
  return compare({ what, unit: 'per s', target }, samples);
}

/** A message with a file, from its POST until a follower sees that the agent has it. */
export async function measureDeliveries(bench: HostedBench): Promise<Result[]> {
  return [
    await measureOne(bench, '100 kB', 100_000, 1.5),
    await measureOne(bench, '1 MB', 1_000_000, 1.3),
    await measureMany(bench, '1 MB', 1_000_000, { of: 'ratio', atLeast: 0.75 }),
    await measureMany(bench, '100 kB', 100_000),
  ];
}
