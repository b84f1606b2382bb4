import type { HostedBench } from '../hosted/bench.ts';
import { createBucket } from '../hosted/start-floors.ts';
import { hashOf, makeRandomBytes } from '../inputs/random-bodies.ts';
import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import { createSession, putFile, readUpload, waitUntilInspected } from '../product/product-calls.ts';
import { compare, type Result } from '../report/result.ts';
import { interleave, pause, time } from '../report/sample.ts';
import { type Peer, startTusd, startTusServer } from './start-peers.ts';

const CLIENTS = 8;
const FILES_PER_CLIENT = 12;
const REST_MS = 15;
const FILE = { mimeType: 'application/octet-stream', name: 'random.bin' };

/** Sends one file over a connection of its own number; resolves when it has been accepted. */
type Way = { upload(bytes: Uint8Array, client: number): Promise<void>; settle(): Promise<void> };

function pick(clients: readonly HttpClient[], index: number): HttpClient {
  const client = clients[index];
  if (!client) throw new Error(`There is no connection ${index}.`);
  return client;
}

async function openProductWay({ product }: HostedBench): Promise<Way> {
  const { session } = await createSession(product.client);
  let ids: string[] = [];
  return {
    async upload(bytes, client) {
      const file = { ...FILE, bytes, sizeBytes: bytes.byteLength };
      const { attachment } = readUpload(await putFile(pick(product.clients, client), session.id, file));
      ids.push(attachment.id);
    },
    async settle() {
      await waitUntilInspected(product.client, ...ids);
      ids = [];
    },
  };
}

/** One POST with all bytes, as the protocol's extension `creation-with-upload` has it. */
async function postFile(client: HttpClient, bytes: Uint8Array): Promise<string> {
  const size = String(bytes.byteLength);
  const headers = {
    ...{ 'tus-resumable': '1.0.0', 'upload-length': size, 'content-length': size },
    'content-type': 'application/offset+octet-stream',
  };
  const { status, body, headers: answered } = await client.send({ method: 'POST', path: '', headers, body: bytes });
  if (status !== 201 || answered['upload-offset'] !== size) throw new Error(`Expected 201, got ${status}: ${body}`);
  return answered.location ?? '';
}

/** The peer has stored what was sent: asked once, before anything is measured. */
async function expectStored(client: HttpClient): Promise<void> {
  const bytes = makeRandomBytes(100_000);
  const location = await postFile(client, bytes);
  const stored = await client.download({ method: 'GET', path: location });
  if (stored.status !== 200 || hashOf(stored.bytes) !== hashOf(bytes))
    throw new Error('A peer has stored something else.');
}

async function openPeerWay({ url }: Peer, stack: AsyncDisposableStack): Promise<Way> {
  const clients = Array.from({ length: CLIENTS }, () => createHttpClient(url));
  for (const client of clients) stack.defer(() => client.close());
  await expectStored(pick(clients, 0));
  return {
    upload: async (bytes, client) => void (await postFile(pick(clients, client), bytes)),
    settle: () => pause(REST_MS),
  };
}

async function uploadOne(way: Way, sizeBytes: number): Promise<number> {
  const bytes = makeRandomBytes(sizeBytes);
  const { tookMs } = await time(() => way.upload(bytes, 0));
  await way.settle();
  return tookMs;
}

/** Eight clients at once; answers how many megabytes per second were accepted. */
async function uploadMany(way: Way, sizeBytes: number): Promise<number> {
  const makeFiles = () => Array.from({ length: FILES_PER_CLIENT }, () => makeRandomBytes(sizeBytes));
  const work = Array.from({ length: CLIENTS }, makeFiles);
  // Connections that were closed while the bodies were made are noticed now.
  await pause(REST_MS);
  const { tookMs } = await time(() =>
    Promise.all(
      work.map(async (files, client) => {
        for (const bytes of files) await way.upload(bytes, client);
      }),
    ),
  );
  await way.settle();
  return (CLIENTS * FILES_PER_CLIENT * sizeBytes) / 1000 / tookMs;
}

type Ways = { product: Way; peer: Way };

async function measureAgainst(bench: HostedBench, peer: Peer): Promise<Result[]> {
  await using stack = new AsyncDisposableStack();
  const ways: Ways = { product: await openProductWay(bench), peer: await openPeerWay(peer, stack) };
  const sizes = [
    { label: '100 kB', sizeBytes: 100_000 },
    { label: '1 MB', sizeBytes: 1_000_000 },
  ];
  const line = (what: string, unit: Result['unit'], target: Result['target']) => ({
    ...{ what: `${what}, beside ${peer.name}`, unit, floorIs: peer.name.split(' ')[0], target },
  });
  const measure = async (counted: number, upload: (way: Way) => Promise<number>) => {
    const rounds = { warm: Math.min(10, counted), counted };
    const sides = { floor: () => upload(ways.peer), product: () => upload(ways.product) };
    return interleave(rounds, sides);
  };
  const results: Result[] = [];
  for (const { label, sizeBytes } of sizes) {
    bench.say(`  ${label}, beside ${peer.name}`);
    const one = await measure(bench.counted(40), (way) => uploadOne(way, sizeBytes));
    results.push(compare(line(`upload accepted, ${label}`, 'ms', { of: 'ratio', atMost: 1 }), one));
    const many = await measure(bench.counted(6), (way) => uploadMany(way, sizeBytes));
    const what = `uploads accepted, eight clients, ${label}`;
    results.push(compare(line(what, 'MB/s', { of: 'ratio', atLeast: 1 }), many));
  }
  return results;
}

/** Uploads of small files, compared with other upload servers on the same object store, as far as they are installed. */
export async function measurePeers(bench: HostedBench): Promise<Result[]> {
  const store = await createBucket(bench.backends.store, 'peers');
  const starts = [
    { name: '@tus/server', start: () => startTusServer(store) },
    { name: 'tusd', start: () => startTusd(store, process.env) },
  ];
  const results: Result[] = [];
  for (const { name, start } of starts) {
    const peer = await start();
    if (peer === undefined) {
      bench.say(`  ${name} is not installed: nothing to measure beside it`);
      continue;
    }
    results.push(...(await measureAgainst(bench, peer).finally(() => peer.stop())));
  }
  return results;
}
