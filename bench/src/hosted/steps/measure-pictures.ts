import postgres from 'postgres';
import { drawNoise } from '../../inputs/draw-pictures.ts';
import { meterCpu } from '../../processes/meter-cpu.ts';
import { followEvents } from '../../product/follow-events.ts';
import type { HttpClient } from '../../product/http-client.ts';
import { createSession, putFile, readUpload } from '../../product/product-calls.ts';
import { compare, type Result } from '../../report/result.ts';
import { pause, summarise } from '../../report/sample.ts';
import type { HostedBench } from '../bench.ts';

const SIZE_BYTES = 100_000;
const CLIENTS = 8;
const REST_MS = 40;
const PREVIEWS_MS = 60_000;
const MAX_SECONDS = 7;

type Costs = { untilReady: number[]; withPreviews: number[] };
type Picture = Uint8Array;

/** What pictures cost our own processes, in seconds of processor time per 1,000: until a follower sees each `ready`, and with the previews that are made of them afterwards. */
export async function measurePictures(bench: HostedBench): Promise<Result[]> {
  const pictures = await openPictures(bench);
  const one = await measureRounds(pictures, bench.counted(3), () => uploadOneByOne(pictures, bench.counted(100)));
  const eight = await measureRounds(pictures, bench.counted(3), () => uploadAtOnce(pictures, bench.counted(40)));
  await pictures.close();
  const what = 'processor time of our processes per 1,000 pictures of 100 kB';
  const target = { of: 'product', atMost: MAX_SECONDS } as const;
  return [
    compare({ what: `${what}, until ready`, unit: 's', target }, { product: one.untilReady }),
    { what: `${what}, with their previews`, unit: 's', product: summarise(one.withPreviews) },
    compare({ what: `${what}, eight clients, until ready`, unit: 's', target }, { product: eight.untilReady }),
    { what: `${what}, eight clients, with their previews`, unit: 's', product: summarise(eight.withPreviews) },
  ];
}

type Pictures = Awaited<ReturnType<typeof openPictures>>;

async function openPictures({ product }: HostedBench) {
  const { client, clients, stack } = product;
  const { session } = await createSession(client);
  const followed = await followEvents(client, session.id);
  const sql = postgres(stack.database.superuserUrl, { max: 1, onnotice: () => {} });
  return {
    clients,
    meter: () => meterCpu(product.pids()),
    async upload(by: HttpClient, bytes: Picture): Promise<string> {
      const file = { bytes, sizeBytes: bytes.byteLength, mimeType: 'image/png', name: 'noise.png' };
      return readUpload(await putFile(by, session.id, file)).attachment.id;
    },
    waitUntilReady: (id: string) => followed.arrival('attachment.ready', id, 'attachment.rejected'),
    /** Asks the database, which is none of our processes. */
    async waitUntilPreviewed(): Promise<void> {
      const until = Date.now() + PREVIEWS_MS;
      while (Date.now() < until) {
        await pause(REST_MS);
        const [row] = await sql`
          select not exists (select 1 from attachment a where a.kind = 'image' and a.status = 'ready'
            and not exists (select 1 from variant v where v.tenant_id = a.tenant_id and v.source_sha256 = a.sha256)) as all`;
        if (row?.all) return;
      }
      throw new Error('A picture has no preview.');
    },
    async close(): Promise<void> {
      followed.stop();
      await sql.end();
    },
  };
}

type Round = { count: number; untilReady: number };

/** The first round warms. */
async function measureRounds(pictures: Pictures, count: number, run: () => Promise<Round>): Promise<Costs> {
  const costs: Costs = { untilReady: [], withPreviews: [] };
  for (let round = -1; round < count; round += 1) {
    await using meter = await pictures.meter();
    const done = await run();
    await pictures.waitUntilPreviewed();
    const all = meter.read();
    if (round < 0) continue;
    costs.untilReady.push((done.untilReady * 1000) / done.count);
    costs.withPreviews.push((all * 1000) / done.count);
  }
  return costs;
}

/** Each once the preview of the one before is made. What is done of its own preview until a follower sees it `ready` is counted, too. */
async function uploadOneByOne(pictures: Pictures, count: number): Promise<Round> {
  const [client] = pictures.clients;
  await using meter = await pictures.meter();
  let untilReady = 0;
  for (let sent = 0; sent < count; sent += 1) {
    const bytes = await drawNoise(SIZE_BYTES);
    const before = meter.read();
    await pictures.waitUntilReady(await pictures.upload(client as HttpClient, bytes));
    untilReady += meter.read() - before;
    await pictures.waitUntilPreviewed();
    await pause(REST_MS);
  }
  return { count, untilReady };
}

/** Eight clients, each one picture after the other. Some previews are made before the last picture is ready. */
async function uploadAtOnce(pictures: Pictures, perClient: number): Promise<Round> {
  const clients = pictures.clients.slice(0, CLIENTS);
  const drawn = await Promise.all(
    clients.map(() => Promise.all(Array.from({ length: perClient }, () => drawNoise(SIZE_BYTES)))),
  );
  await using meter = await pictures.meter();
  const ids = await Promise.all(
    clients.map(async (client, index) => {
      const sent: string[] = [];
      for (const bytes of drawn[index] ?? []) sent.push(await pictures.upload(client, bytes));
      return sent;
    }),
  );
  for (const id of ids.flat()) await pictures.waitUntilReady(id);
  return { count: clients.length * perClient, untilReady: meter.read() };
}
