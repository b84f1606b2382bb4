import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import postgres from 'postgres';
import { createTables } from '../../floors/steps/durable-steps.ts';
import type { FloorConfig, StorePlace } from '../../floors/steps/floor-config.ts';
import { createLeastTable } from '../../floors/steps/least-steps.ts';
import { presign } from '../../floors/steps/presign.ts';
import { exampleAgentCommand, type FloorProgram, startFloorProgram } from '../processes/programs.ts';
import { createHttpClient, type HttpClient } from '../product/http-client.ts';
import { type Least, startLeast } from '../product/start-least.ts';
import type { Backends } from './start-backends.ts';

/** The floor programs, on the servers that the product uses: a database, a bucket and a NATS server of their own. */
export type Floors = {
  /** Clients of `relay-upload.ts` with a connection each. */
  uploads: readonly HttpClient[];
  upload: HttpClient;
  download: HttpClient;
  downloads: readonly HttpClient[];
  /** Clients of `chain-accept.ts`. */
  chain: readonly HttpClient[];
  /** Process ids of the programs that take an upload and what follows it. */
  uploadPids: readonly number[];
  /** The floors of the least that could be durable at all, on the same servers. */
  least: Least;
  /** The same for pictures that are inspected: `least-pictures.ts`. */
  pictures: { clients: readonly HttpClient[]; pid: number };
  /** Resolves when nothing of an upload is left to be done in the background. */
  waitUntilIdle(): Promise<void>;
  stop(): Promise<void>;
};

const ADDRESS = /^(http:\S+)$/;
const READY = /^(ready)$/;
const DATABASE = 'attache_bench_floor';

async function createDatabase({ superuserUrl }: Backends['postgres']): Promise<string> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await sql.unsafe(`drop database if exists ${DATABASE} with (force)`);
  await sql.unsafe(`create database ${DATABASE}`);
  await sql.end();
  const url = new URL(superuserUrl);
  url.pathname = `/${DATABASE}`;
  await createTables(url.toString());
  await createLeastTable(url.toString());
  return url.toString();
}

/** A new bucket for others than the product. */
export async function createBucket(server: Backends['store'], prefix: string): Promise<StorePlace> {
  const { endpoint, accessKey, secretKey } = server;
  const store = { endpoint, accessKey, secretKey, bucket: `${prefix}-${randomBytes(6).toString('hex')}` };
  const answer = await fetch(`${endpoint}${presign(store, 'PUT', '')}`, { method: 'PUT' });
  if (answer.status !== 200) throw new Error(`The bucket ${store.bucket} was answered ${answer.status}.`);
  return store;
}

export async function startFloors(backends: Backends, clientCount: number): Promise<Floors> {
  const stops: (() => Promise<unknown>)[] = [];
  const stop = async () => {
    for (const each of stops.splice(0).reverse()) await each();
  };
  try {
    const folder = await mkdtemp(join(tmpdir(), 'attache-floors-'));
    stops.push(() => rm(folder, { recursive: true, force: true }));
    const nats = await backends.startNats({});
    stops.push(() => nats.stop());
    const config: FloorConfig = {
      databaseUrl: await createDatabase(backends.postgres),
      natsUrl: nats.url,
      store: await createBucket(backends.store, 'floor'),
      folder,
      agentCommand: exampleAgentCommand,
    };
    const start = async (name: string, ready: RegExp, of: object = config): Promise<FloorProgram> => {
      const program = await startFloorProgram(name, JSON.stringify(of), ready);
      stops.push(() => program.stop());
      return program;
    };
    const connect = async (name: string, of: object = config) => {
      const { said, pid } = await start(name, ADDRESS, of);
      const create = () => {
        const client = createHttpClient(said);
        stops.push(async () => client.close());
        return client;
      };
      return { pid, clients: [create(), ...Array.from({ length: clientCount - 1 }, create)] as const };
    };
    const inspect = await start('relay-inspect.ts', READY);
    for (const name of ['chain-prepare.ts', 'chain-write.ts']) await start(name, READY);
    const { clients: uploads, pid: relayPid } = await connect('relay-upload.ts');
    const { clients: downloads } = await connect('relay-download.ts');
    const { clients: chain } = await connect('chain-accept.ts');
    const { databaseUrl, store } = config;
    const leastConfig = { folder, agentCommand: exampleAgentCommand, servers: { databaseUrl, store } };
    const least = await startLeast(leastConfig, clientCount);
    stops.push(async () => least[Symbol.asyncDispose]());
    const pictures = await connect('least-pictures.ts', leastConfig);
    const waitUntilIdle = async () => {
      const { status } = await uploads[0].send({ method: 'GET', path: '/' });
      if (status !== 200) throw new Error(`The floor answered ${status}.`);
    };
    return {
      ...{ uploads, upload: uploads[0], uploadPids: [relayPid, inspect.pid], downloads, download: downloads[0] },
      ...{ chain, least, pictures, waitUntilIdle, stop },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
