import { drawNoise } from '../../inputs/draw-pictures.ts';
import type { HttpClient } from '../../product/http-client.ts';
import { compare, type Result } from '../../report/result.ts';
import { pause, summarise } from '../../report/sample.ts';
import type { HostedBench } from '../bench.ts';
import { openLeastSide, openProductSide, type PictureSide } from './picture-sides.ts';

const SIZE_BYTES = 100_000;
const CLIENTS = 8;
const REST_MS = 40;
const MAX_SECONDS = 7;

type Sides = Record<'product' | 'least', PictureSide>;
type Costs = { untilReady: number[]; untilDone: number[] };
type Round = { count: number; untilReady: number };
type Run = (side: PictureSide) => Promise<Round>;

/**
 * The cost of pictures for our own processes, in seconds of processor time per 1,000: until a follower sees each `ready`, and with the previews that
 * are made from them afterwards. The least durable floor decodes them, too, in a process of its own.
 */
export async function measurePictures(bench: HostedBench): Promise<Result[]> {
  const sides = { product: await openProductSide(bench), least: openLeastSide(bench) };
  const rounds = bench.counted(3);
  const one = await measureRounds(sides, rounds, (side) => uploadOneByOne(side, bench.counted(100)));
  const eight = await measureRounds(sides, rounds, (side) => uploadAtOnce(side, bench.counted(40)));
  await sides.product.close();
  const what = 'processor time of our processes per 1,000 pictures of 100 kB';
  return [...describe(what, one), ...describe(`${what}, eight clients`, eight)];
}

function describe(what: string, { product, least }: Record<keyof Sides, Costs>): Result[] {
  const line = { what: `${what}, until ready`, unit: 's', target: { of: 'product', atMost: MAX_SECONDS } } as const;
  return [
    compare(line, { product: product.untilReady, least: least.untilReady }),
    { what: `${what}, with their previews`, unit: 's', product: summarise(product.untilDone) },
  ];
}

/** In turn. The first round warms. */
async function measureRounds(sides: Sides, count: number, run: Run): Promise<Record<keyof Sides, Costs>> {
  const costs = { product: newCosts(), least: newCosts() };
  for (let round = -1; round < count; round += 1) {
    for (const name of ['product', 'least'] as const) {
      await using meter = await sides[name].meter();
      const done = await run(sides[name]);
      await sides[name].waitUntilDone();
      const all = meter.read();
      if (round < 0) continue;
      costs[name].untilReady.push((done.untilReady * 1000) / done.count);
      costs[name].untilDone.push((all * 1000) / done.count);
    }
  }
  return costs;
}

const newCosts = (): Costs => ({ untilReady: [], untilDone: [] });

/** Each once all is done of the one before. What is done of its own preview until a follower sees it `ready` is counted, too. */
async function uploadOneByOne(side: PictureSide, count: number): Promise<Round> {
  const [client] = side.clients;
  await using meter = await side.meter();
  let untilReady = 0;
  for (let sent = 0; sent < count; sent += 1) {
    const picture = await drawNoise(SIZE_BYTES);
    const before = meter.read();
    await side.waitUntilReady(await side.upload(client as HttpClient, picture));
    untilReady += meter.read() - before;
    await side.waitUntilDone();
    await pause(REST_MS);
  }
  return { count, untilReady };
}

/** Eight clients, each one picture after the other. Some previews are made before the last picture is ready. */
async function uploadAtOnce(side: PictureSide, perClient: number): Promise<Round> {
  const clients = side.clients.slice(0, CLIENTS);
  const drawn = await Promise.all(
    clients.map(() => Promise.all(Array.from({ length: perClient }, () => drawNoise(SIZE_BYTES)))),
  );
  await using meter = await side.meter();
  const ids = await Promise.all(
    clients.map(async (client, index) => {
      const sent: string[] = [];
      for (const picture of drawn[index] ?? []) sent.push(await side.upload(client, picture));
      return sent;
    }),
  );
  for (const id of ids.flat()) await side.waitUntilReady(id);
  return { count: clients.length * perClient, untilReady: meter.read() };
}
