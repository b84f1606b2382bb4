import type { Delivery } from '@attache/contracts';
import { readOwnBytes } from '../processes/process-cost.ts';
import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import { createSession, parseAnswer, postJson, putFile, readUpload } from '../product/product-calls.ts';
import { pause, percentile, within } from '../report/sample.ts';
import { countConnections, difference, readCounts, type ServerCounts } from './read-counts.ts';
import type { ScaleCluster } from './scale-cluster.ts';
import type { ScaleFigures } from './scale-figures.ts';

const PER_SECOND = 20;
const LOAD_SECONDS = 30;
const QUIET_SECONDS = 20;
/** Until the gateways have looked once more after each session in which something was under way. */
const SETTLED_SECONDS = 25;
const CLIENTS = 16;
const FILE_BYTES = 1_000;
const WAIT_MS = 120_000;
const LOOK_MS = 100;

/** A session whose agent runs, with a small file in it. */
type Talk = { agentId: string; sessionId: string; attachmentId: string };

export type ScaleLoad = { sessionCount: number; agentCount: number };

/** Work on each of these, so many at a time. */
async function forAll<T, R>(items: readonly T[], work: (item: T, worker: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const left = items.entries();
  const workers = Array.from({ length: CLIENTS }, async (_, worker) => {
    for (const [place, item] of left) results[place] = await work(item, worker);
  });
  await Promise.all(workers);
  return results;
}

const readDelivery = async (client: HttpClient, id: string): Promise<Delivery> =>
  parseAnswer<{ delivery: Delivery }>(await client.send({ method: 'GET', path: `/deliveries/${id}` }), 200).delivery;

async function waitUntilAnswered(client: HttpClient, id: string): Promise<Delivery> {
  for (;;) {
    const delivery = await readDelivery(client, id);
    if (delivery.status === 'responded') return delivery;
    if (delivery.status === 'failed') throw new Error(`A delivery failed: ${delivery.failure?.code}.`);
    await pause(LOOK_MS);
  }
}

async function say(client: HttpClient, { sessionId, agentId, attachmentId }: Talk): Promise<string> {
  const body = { to: [agentId], text: 'hello', attachmentIds: [attachmentId] };
  const answer = await postJson(client, `/sessions/${sessionId}/messages`, body);
  return parseAnswer<{ deliveries: { id: string }[] }>(answer, 202).deliveries[0]?.id ?? '';
}

async function openTalk(client: HttpClient): Promise<Talk> {
  const { session, agent } = await createSession(client, { profile: 'tiny' });
  const file = {
    bytes: Buffer.alloc(FILE_BYTES, 'text '),
    sizeBytes: FILE_BYTES,
    mimeType: 'text/plain',
    name: 'a.txt',
  };
  const { attachment } = readUpload(await putFile(client, session.id, file));
  return { sessionId: session.id, agentId: agent.id, attachmentId: attachment.id };
}

/** Sends at even distances, whatever the answers take; answers the ids of the deliveries and how late each was sent. */
async function sendEvenly(clients: readonly HttpClient[], talks: readonly Talk[], count: number) {
  const begunAt = performance.now();
  const latenessMs: number[] = [];
  const sending: Promise<string>[] = [];
  for (let place = 0; place < count; place += 1) {
    const dueAt = begunAt + (place * 1000) / PER_SECOND;
    await pause(Math.max(0, dueAt - performance.now()));
    latenessMs.push(performance.now() - dueAt);
    const [client, talk] = [clients[place % clients.length], talks[place % talks.length]];
    if (client && talk) sending.push(say(client, talk));
  }
  return { ids: await Promise.all(sending), latenessMs };
}

const timeOf = ({ timeline }: Delivery, status: string) =>
  Date.parse(timeline.find((step) => step.status === status)?.at ?? '');

const shareOut = (counts: ServerCounts, parts: number): ServerCounts =>
  Object.fromEntries(Object.entries(counts).map(([name, value]) => [name, value / parts])) as ServerCounts;

async function countOwned({ sql }: ScaleCluster): Promise<number> {
  const [row] = await sql`select count(*)::int as count from session_owner where released_at is null`;
  return row?.count ?? 0;
}

/** Sessions that are there, and more of them until there are so many; of these, so many with an agent that runs. */
export async function measureScale(
  cluster: ScaleCluster,
  { sessionCount, agentCount }: ScaleLoad,
  counted: (rounds: number) => number,
): Promise<ScaleFigures> {
  const authorization = `Bearer ${cluster.stack.apiKey}`;
  const clients = Array.from({ length: CLIENTS }, () => createHttpClient(`${cluster.stack.url}/v1`, { authorization }));
  const clientOf = (worker: number) => clients[worker] as HttpClient;
  try {
    const talks = await forAll(Array.from({ length: agentCount }), (_, worker) => openTalk(clientOf(worker)));
    await forAll(Array.from({ length: sessionCount - agentCount }), (_, worker) =>
      createSession(clientOf(worker), { profile: 'tiny' }),
    );
    // Each agent starts, and has answered twice.
    for (let round = 0; round < 2; round += 1)
      await forAll(talks, async (talk, worker) => {
        const id = await say(clientOf(worker), talk);
        await within(WAIT_MS, 'A first answer', waitUntilAnswered(clientOf(worker), id));
      });
    const quietSeconds = counted(QUIET_SECONDS);
    await pause(SETTLED_SECONDS * 1000);
    const quietBefore = await readCounts(cluster);
    await pause(quietSeconds * 1000);
    const loadBefore = await readCounts(cluster);
    const { ids, latenessMs } = await sendEvenly(clients, talks, counted(LOAD_SECONDS) * PER_SECOND);
    const deliveries = await forAll(ids, (id, worker) => waitUntilAnswered(clientOf(worker), id));
    const loadAfter = await readCounts(cluster);
    const dispatches = deliveries.map((each) => timeOf(each, 'written') - timeOf(each, 'queued'));
    const bytes = await Promise.all(cluster.gateways.map(({ process: { pid } }) => readOwnBytes(pid ?? 0)));
    return {
      ...{ sessionCount, agentCount, gatewayCount: cluster.gateways.length, deliveryCount: deliveries.length },
      dispatchMs: { p50: percentile(dispatches, 0.5), p99: percentile(dispatches, 0.99) },
      latenessMs: percentile(latenessMs, 0.99),
      perDelivery: shareOut(difference(loadBefore, loadAfter), deliveries.length),
      perQuietSecond: shareOut(difference(quietBefore, loadBefore), quietSeconds),
      connectionCount: await countConnections(cluster),
      gatewayBytes: bytes.reduce((sum, each) => sum + each, 0),
      ownedCount: await countOwned(cluster),
    };
  } finally {
    for (const client of clients) client.close();
  }
}
