import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type SpawnedService, spawnService } from '@attache/test-harness';
import type { Result } from '../report/result.ts';
import { percentile, summarise } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';
import type { HostedProduct } from './start-product.ts';
import { type Load, listLoads, openPlace, type Place } from './steps/deliver-files.ts';

const PHASES = 4;
const SESSIONS = 8;
const ROUNDS = 100;
const SIZE_BYTES = 100_000;
const MAX_RATIO = 1.5;

/** A second gateway of the same stack, as another machine would run it: with a folder and a name of its own. */
async function startSecond({ stack }: HostedProduct, phase: number): Promise<SpawnedService> {
  const dataDir = join(stack.dataDir, `second-gateway-${phase}`);
  await mkdir(dataDir, { recursive: true });
  const name = { ATTACHE_DATA_DIR: dataDir, ATTACHE_REPLICA_ID: `bench-second-${process.pid}-${phase}` };
  return spawnService('runner-gateway', { ...stack.environmentOf('runner-gateway'), ...name });
}

async function deliverOne(place: Place, load: Load): Promise<number> {
  const file = await load.drawFile();
  const sentAt = performance.now();
  await place.deliver(file, 0);
  return performance.now() - sentAt;
}

/** One delivery after the other, by the sessions in turn. Each is new, so that it belongs to one of the gateways that run now. */
async function measurePhase({ product, counted }: HostedBench, load: Load): Promise<number[]> {
  const places: Place[] = [];
  try {
    for (let count = 0; count < SESSIONS; count += 1) places.push(await openPlace(product.clients));
    for (const place of places) await deliverOne(place, load);
    const times: number[] = [];
    for (let round = 0; round < counted(ROUNDS); round += 1) {
      const place = places[round % SESSIONS];
      if (place) times.push(await deliverOne(place, load));
    }
    return times;
  } finally {
    for (const place of places) place.stop();
  }
}

/** Upload to answer where two gateways share the sessions, against one that has them all. */
export async function measureGateways(bench: HostedBench): Promise<Result[]> {
  bench.say('  upload to responded, with one gateway and with two');
  const [load] = listLoads(SIZE_BYTES);
  if (!load) throw new Error('There is no load.');
  const times: Record<'one' | 'two', number[]> = { one: [], two: [] };
  for (let phase = 0; phase < PHASES; phase += 1) {
    const second = phase % 2 === 0 ? undefined : await startSecond(bench.product, phase);
    times[second ? 'two' : 'one'].push(...(await measurePhase(bench, load)));
    await second?.end('SIGTERM');
  }
  const row = (share: number): Pick<Result, 'product' | 'floor' | 'unit' | 'floorIs'> => ({
    ...{ unit: 'ms', floorIs: 'one gateway' },
    product: summarise([percentile(times.two, share)]),
    floor: summarise([percentile(times.one, share)]),
  });
  const what = 'upload of 100 kB to responded, two gateways';
  return [
    { what: `${what}, p50 of ${times.two.length}`, ...row(0.5) },
    { what: `${what}, p99 of ${times.two.length}`, ...row(0.99), target: { of: 'ratio', atMost: MAX_RATIO } },
  ];
}
