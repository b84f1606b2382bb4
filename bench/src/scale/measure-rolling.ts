import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import type { Result } from '../report/result.ts';
import { percentile, summarise, within } from '../report/sample.ts';
import type { ScaleCluster } from './scale-cluster.ts';
import { CLIENTS, forAll, openTalk, say, sendEvenly, timeOf, waitUntilAnswered } from './scale-load.ts';

const GATEWAYS = 3;
/** Each waits some seconds between two of its messages: it is idle when its gateway gets SIGTERM. */
const TALKS = 120;
const WAIT_MS = 120_000;

/** Three gateways end one after the other, as in a deployment, while people keep writing to idle agents. Every message has to be answered. */
export async function measureRollingRestart(cluster: ScaleCluster): Promise<Result[]> {
  const authorization = `Bearer ${cluster.stack.apiKey}`;
  const clients = Array.from({ length: CLIENTS }, () => createHttpClient(`${cluster.stack.url}/v1`, { authorization }));
  const clientOf = (worker: number) => clients[worker] as HttpClient;
  try {
    await cluster.keep(0);
    await cluster.keep(GATEWAYS);
    const talks = await forAll(Array.from({ length: TALKS }), (_, worker) => openTalk(clientOf(worker)));
    const answer = (id: string, worker: number) =>
      within(WAIT_MS, 'An answer', waitUntilAnswered(clientOf(worker), id));
    await forAll(talks, async (talk, worker) => answer(await say(clientOf(worker), talk), worker));
    let isOver = false;
    const restarted = cluster.restartEach().finally(() => {
      isOver = true;
    });
    const { ids } = await sendEvenly(clients, talks, () => !isOver);
    await restarted;
    const deliveries = await forAll(ids, answer);
    const p99 = (status: string) =>
      summarise([
        percentile(
          deliveries.map((each) => timeOf(each, status) - timeOf(each, 'queued')),
          0.99,
        ),
      ]);
    const place = `p99 of ${deliveries.length} messages during a rolling restart of three gateways with ${TALKS} agents`;
    return [
      {
        ...{ what: `accepted → claimed, ${place}`, unit: 'ms', product: p99('claimed') },
        target: { of: 'product', atMost: 1_000 },
      },
      { what: `accepted → written, ${place}`, unit: 'ms', product: p99('written') },
    ];
  } finally {
    for (const client of clients) client.close();
  }
}
