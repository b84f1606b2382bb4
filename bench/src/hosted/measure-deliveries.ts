import {
  deliverMany,
  deliverOnce,
  IN_FLIGHT,
  openFloorWay,
  openProductWay,
  startAgents,
  type Way,
} from '../product/delivery-ways.ts';
import { compare, type Result, type Target } from '../report/result.ts';
import { interleave } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

type Ways = Record<'product' | 'floor' | 'least', Way>;
type Deliver = (way: Way) => Promise<number>;

async function openWays({ product, floors }: HostedBench, sizeBytes: number): Promise<Ways> {
  const { least } = floors;
  const ways = {
    product: await openProductWay(product.clients, sizeBytes),
    floor: await openFloorWay(floors.chain, floors.uploads, sizeBytes),
    least: await openFloorWay(least.deliveries, least.uploads, sizeBytes),
  };
  await floors.waitUntilIdle();
  for (const way of Object.values(ways)) await startAgents(way);
  return ways;
}

async function measureWays(
  bench: HostedBench,
  sizeBytes: number,
  rounds: { warm: number; counted: number },
  deliver: Deliver,
) {
  const ways = await openWays(bench, sizeBytes);
  try {
    return await interleave(rounds, {
      floor: () => deliver(ways.floor),
      product: () => deliver(ways.product),
      least: () => deliver(ways.least),
    });
  } finally {
    for (const way of Object.values(ways)) way.stop();
  }
}

async function measureOne(bench: HostedBench, label: string, sizeBytes: number, atMost: number): Promise<Result> {
  bench.say(`  message to written, ${label}`);
  const counted = bench.counted(40);
  const samples = await measureWays(bench, sizeBytes, { warm: Math.min(4, counted), counted }, deliverOnce);
  return compare({ what: `message to written, ${label}`, unit: 'ms', target: { of: 'ratio', atMost } }, samples);
}

async function measureMany(bench: HostedBench, label: string, sizeBytes: number, target?: Target): Promise<Result> {
  bench.say(`  sixteen in flight, ${label}`);
  const messages = Math.max(2 * IN_FLIGHT, bench.counted(64));
  const rounds = { warm: 1, counted: bench.counted(6) };
  const samples = await measureWays(bench, sizeBytes, rounds, (way) => deliverMany(way, messages));
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
