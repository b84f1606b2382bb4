import type { Result } from '../report/result.ts';
import { summarise } from '../report/sample.ts';
import { measureRollingRestart } from './measure-rolling.ts';
import { measureScale, type ScaleLoad } from './measure-scale.ts';
import { startScaleCluster } from './scale-cluster.ts';
import type { ScaleFigures } from './scale-figures.ts';
import { writeScaling } from './write-scaling.ts';

const GATEWAYS = 5;
const AGENTS = 200;
/** More than they run together: nobody waits, and nobody has to move. */
const AGENTS_PER_GATEWAY = 80;
const SIZES = [10, 100, 1_000];

type ScaleBench = { counted(rounds: number): number; say(line: string): void; isWhole: boolean };

/** One gateway with ten sessions, then five with ten, a hundred and a thousand. A whole measurement replaces the page in `docs`. */
export async function benchScale({
  counted,
  say,
  isWhole,
}: ScaleBench): Promise<{ results: Result[]; servers: Record<string, string> }> {
  say('Starting Postgres, NATS, MinIO and five gateways …');
  const cluster = await startScaleCluster(say, { gatewayCount: 1, agentsPerGateway: AGENTS_PER_GATEWAY });
  const figures: ScaleFigures[] = [];
  const measure = async (load: ScaleLoad) => {
    say(`  ${load.sessionCount} sessions on ${cluster.gateways.length} gateways, ${load.agentCount} agents`);
    figures.push(await measureScale(cluster, load, counted));
  };
  try {
    await measure({ sessionCount: 10, agentCount: 10 });
    await cluster.keep(GATEWAYS);
    for (const sessionCount of SIZES) {
      // Those of the measurement before end with their sessions' gateways.
      await cluster.keep(0);
      await cluster.keep(GATEWAYS);
      await measure({ sessionCount, agentCount: Math.min(sessionCount, AGENTS) });
    }
    say('  a rolling restart of three gateways');
    const rolling = await measureRollingRestart(cluster);
    const servers = cluster.backends.descriptions;
    if (isWhole) await writeScaling(figures, servers);
    return { results: [...toResults(figures), ...rolling], servers };
  } finally {
    await cluster.stop();
  }
}

function toResults(figures: readonly ScaleFigures[]): Result[] {
  const [alone, few, , most] = figures as [ScaleFigures, ScaleFigures, ScaleFigures, ScaleFigures];
  const place = `${most.sessionCount} sessions on ${GATEWAYS} gateways, ${most.agentCount} agents, 20 messages a second`;
  const one = (value: number) => summarise([value]);
  return [
    {
      ...{ what: `accepted → written, p99 of ${most.deliveryCount}, ${place}`, unit: 'ms' },
      ...{ product: one(most.dispatchMs.p99), target: { of: 'product', atMost: 150 } },
    },
    {
      ...{ what: `accepted → written, p50, ${place}`, unit: 'ms', product: one(most.dispatchMs.p50) },
      ...{ floor: one(alone.dispatchMs.p50), floorIs: 'one gateway with ten sessions' },
      target: { of: 'ratio', atMost: 1.2 },
    },
    {
      ...{ what: 'how late the generator itself sent, p99', unit: 'ms', product: one(most.latenessMs) },
    },
    {
      ...{ what: `transactions a second while ${most.sessionCount} sessions are quiet`, unit: 'commits' },
      ...{ product: one(most.perQuietSecond.transactions), floor: one(few.perQuietSecond.transactions) },
      ...{ floorIs: 'the same gateways with ten', target: { of: 'ratio', atMost: 1.1 } },
    },
    {
      ...{ what: `processor time of Postgres in such a second`, unit: 'ms' },
      product: one(most.perQuietSecond.databaseSeconds * 1000),
      ...{ floor: one(few.perQuietSecond.databaseSeconds * 1000), floorIs: 'the same gateways with ten' },
      target: { of: 'ratio', atMost: 1.1 },
    },
  ];
}
