import { readOwnBytes } from '../processes/process-cost.ts';
import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import { createSession } from '../product/product-calls.ts';
import { pause, percentile, within } from '../report/sample.ts';
import { countConnections, difference, readCounts, type ServerCounts } from './read-counts.ts';
import type { ScaleCluster } from './scale-cluster.ts';
import type { ScaleFigures } from './scale-figures.ts';
import { CLIENTS, forAll, openTalk, PER_SECOND, say, sendEvenly, timeOf, waitUntilAnswered } from './scale-load.ts';

const LOAD_SECONDS = 30;
const QUIET_SECONDS = 20;
/** Until the gateways have looked once more after each session in which something was in progress. */
const SETTLED_SECONDS = 25;
const WAIT_MS = 120_000;

export type ScaleLoad = { sessionCount: number; agentCount: number };

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
    const messageCount = counted(LOAD_SECONDS) * PER_SECOND;
    const { ids, latenessMs } = await sendEvenly(clients, talks, (count) => count < messageCount);
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
