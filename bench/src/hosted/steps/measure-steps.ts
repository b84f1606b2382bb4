import type { Delivery } from '@attache/contracts';
import { countingSettings, watchCalls } from '@attache/test-harness';
import type { Result } from '../../report/result.ts';
import { summarise } from '../../report/sample.ts';
import type { HostedBench } from '../bench.ts';
import { startBackends } from '../start-backends.ts';
import { type HostedProduct, startHostedProduct } from '../start-product.ts';
import type { Costs } from './costs.ts';
import { IN_FLIGHT, type Load, listLoads, openPlace, type Place, type Seen, WARMING } from './deliver-files.ts';
import { type ProcessorTimes, readProcessorTimes, shareOut, sumWithoutAgent } from './processor-time.ts';
import { writeCosts } from './write-costs.ts';

const SIZE_BYTES = 100_000;
const ONE_BY_ONE = 100;
const AT_ONCE = 320;

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0) / numbers.length;

function describeSteps(seen: readonly Seen[], deliveries: readonly Delivery[]): Costs['steps'] {
  const timeOf = ({ timeline }: Delivery, status: string) =>
    Date.parse(timeline.find((step) => step.status === status)?.at ?? '');
  const between = (from: string, to: string) => mean(deliveries.map((each) => timeOf(each, to) - timeOf(each, from)));
  const clock = (from: keyof Seen, to: keyof Seen) => mean(seen.map((each) => Number(each[to]) - Number(each[from])));
  return [
    { step: 'upload sent → 201', tookMs: clock('sentAt', 'storedAt') },
    { step: '201 → a follower sees `attachment.ready`', tookMs: clock('storedAt', 'readyAt') },
    { step: 'message sent → 202', tookMs: clock('readyAt', 'acceptedAt') },
    { step: '`queued` → `prepared`', tookMs: between('queued', 'prepared') },
    { step: '`prepared` → `claimed`', tookMs: between('prepared', 'claimed') },
    { step: '`claimed` → `written`', tookMs: between('claimed', 'written') },
    { step: '`written` → `responded`', tookMs: between('written', 'responded') },
  ];
}

type Stand = { product: HostedProduct; readTimes(): Promise<ProcessorTimes>; counted(rounds: number): number };

async function measureLoad({ product, readTimes, counted }: Stand, load: Load): Promise<Costs> {
  const place = await openPlace(product.clients);
  const calls = await watchCalls(product.stack.database.superuserUrl);
  try {
    await place.warm(load);
    const files = await Promise.all(Array.from({ length: counted(ONE_BY_ONE) }, load.drawFile));
    const seen: Seen[] = [];
    const before = await readTimes();
    const { statements, writingTransactions } = await calls.during(async () => {
      for (const file of files) seen.push(await place.deliver(file, 0));
    });
    const oneByOne = shareOut(before, await readTimes(), files.length);
    await deliverAtOnce(place, { load, count: counted(WARMING), readTimes });
    const deliveries: Delivery[] = [];
    for (const { deliveryId } of seen) deliveries.push(await place.readDelivery(deliveryId));
    return {
      load,
      steps: describeSteps(seen, deliveries),
      statements: statements.map((each) => ({ ...each, calls: each.calls / files.length })),
      writingTransactions: writingTransactions / files.length,
      oneByOne,
      inFlight: await deliverAtOnce(place, { load, count: counted(AT_ONCE), readTimes }),
    };
  } finally {
    await calls.end();
    place.stop();
  }
}

type AtOnce = { load: Load; count: number; readTimes(): Promise<ProcessorTimes> };

async function deliverAtOnce(place: Place, { load, count, readTimes }: AtOnce): Promise<ProcessorTimes> {
  const files = await Promise.all(Array.from({ length: count }, load.drawFile));
  const before = await readTimes();
  const waiting = files.values();
  const work = async (_: unknown, worker: number) => {
    for (const file of waiting) await place.deliver(file, worker);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  return shareOut(before, await readTimes(), count);
}

function toResults({ load, statements, writingTransactions, inFlight }: Costs): Result[] {
  const what = `a delivery of 100 kB (${load.name}), its upload and one follower`;
  const calls = statements.reduce((sum, each) => sum + each.calls, 0);
  const isText = load.name === 'text';
  return [
    {
      ...{ what: `SQL calls, ${what}`, unit: 'calls', product: summarise([calls]) },
      target: isText ? { of: 'product', atMost: 12 } : undefined,
    },
    {
      ...{ what: `commits that write, ${what}`, unit: 'commits', product: summarise([writingTransactions]) },
      target: isText ? { of: 'product', atMost: 8 } : undefined,
    },
    {
      what: `processor time of services and servers, sixteen in flight, ${what}`,
      ...{ unit: 'ms', product: summarise([sumWithoutAgent(inFlight)]) },
      target: isText ? { of: 'product', atMost: 20 } : undefined,
    },
  ];
}

/** The cost of one upload and one delivery, step by step, on servers of their own: Postgres counts each statement. A whole measurement replaces the page. */
export async function measureSteps({ counted, say }: HostedBench): Promise<Result[]> {
  await using ending = new AsyncDisposableStack();
  const backends = await startBackends(say, { settings: countingSettings });
  ending.defer(() => backends.stop());
  const product = await startHostedProduct(backends, IN_FLIGHT);
  ending.defer(() => product.stop());
  const stand: Stand = { product, readTimes: () => readProcessorTimes(product, backends), counted };
  const costs: Costs[] = [];
  for (const load of listLoads(SIZE_BYTES)) {
    say(`  steps of ${load.name}`);
    costs.push(await measureLoad(stand, load));
  }
  if (counted(ONE_BY_ONE) === ONE_BY_ONE) await writeCosts(costs, backends.descriptions);
  return costs.flatMap(toResults);
}
