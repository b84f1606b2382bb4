import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { Client } from 'minio';
import postgres from 'postgres';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { isRunning, listDescendants } from '../processes/process-table.ts';
import type { RunningServer } from '../processes/spawn-server.ts';
import { findNpmPostgresPrograms } from './find-postgres.ts';
import { formatNatsConfig } from './nats-config.ts';
import { startMinio } from './start-minio.ts';
import { startNats } from './start-nats.ts';
import type { ObjectStoreOptions, RunningObjectStore } from './start-object-store.ts';
import { startPostgres } from './start-postgres.ts';
import { startVersitygw } from './start-versitygw.ts';

const { programs, missing } = inject('servers');
const ROUNDS = 3;

/** Defines a suite for a server, or skips it and says why. */
function describeServer(name: keyof typeof programs, suite: (program: string) => void): void {
  const program = programs[name];
  const why = missing.find((entry) => entry.name === name)?.why;
  if (program !== undefined) describe(name, () => suite(program));
  else describe.skip(`${name}: ${why}`, () => suite(''));
}

function stopAtEnd<S extends RunningServer>(server: S): S {
  onTestFinished(() => server.stop());
  return server;
}

/** Kills a server and starts it again. None of its processes may be left in between. */
async function killAndStart(server: RunningServer): Promise<void> {
  const before = server.pid;
  const all = [before, ...(await listDescendants(before))];
  await server.kill();
  expect(await Promise.all(all.map(isRunning))).toEqual(all.map(() => false));
  await server.start();
  expect(server.pid).not.toBe(before);
}

/** Writes a row before each of several kills and finds all of them afterwards. */
async function checkPostgres(folder: string): Promise<void> {
  const server = stopAtEnd(await startPostgres({ programs: folder }));
  for (let round = 0; round < ROUNDS; round += 1) {
    const sql = postgres(server.superuserUrl, { max: 2, onnotice: () => {} });
    await sql`create table if not exists kept (round int)`;
    await sql`insert into kept values (${round})`;
    // A backend in the middle of a statement dies with the rest.
    const interrupted = sql`select pg_sleep(60)`.then(
      () => 'finished',
      () => 'interrupted',
    );
    await sql`select 1`;
    await killAndStart(server);
    expect(await interrupted).toBe('interrupted');
    await sql.end({ timeout: 0 });
  }
  const sql = postgres(server.superuserUrl, { max: 1 });
  expect(await sql`select count(*)::int as count from kept`).toEqual([{ count: ROUNDS }]);
  await sql.end();
}

describeServer('postgres', (program) => {
  it('is killed and started again, and keeps what it acknowledged', () => checkPostgres(program));

  it('runs the first statements once, when the cluster is made', async () => {
    const firstStatements = ["create role app login password 'app-secret'", 'create database app owner app'];
    const server = stopAtEnd(await startPostgres({ programs: program, firstStatements }));
    const sql = postgres(server.urlOf({ user: 'app', password: 'app-secret', database: 'app' }), { max: 1 });
    expect(await sql`select current_user as name`).toEqual([{ name: 'app' }]);
    await sql.end();
  });

  it('says which of the first statements it refused', async () => {
    const failing = startPostgres({ programs: program, firstStatements: ['create role app', 'create role app'] });
    await expect(failing).rejects.toThrow('role "app" already exists');
  });
});

const npmPrograms = findNpmPostgresPrograms();
const npmTitle =
  npmPrograms === undefined ? 'Postgres from npm: the optional package was not installed' : 'Postgres from npm';

describe.skipIf(npmPrograms === undefined)(npmTitle, () => {
  it('makes a cluster and answers', async () => {
    const server = stopAtEnd(await startPostgres({ programs: npmPrograms ?? '' }));
    const sql = postgres(server.superuserUrl, { max: 1 });
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }]);
    await sql.end();
  });

  it('is killed and started again, and keeps what it acknowledged', () => checkPostgres(npmPrograms ?? ''));
});

describeServer('nats', (program) => {
  it('is killed and started again, and keeps what it acknowledged', async () => {
    const server = stopAtEnd(await startNats({ program }));
    for (let round = 0; round < ROUNDS; round += 1) {
      const client = await connect({ servers: server.url, reconnect: false });
      const manager = await jetstreamManager(client);
      if (round === 0) await manager.streams.add({ name: 'KEPT', subjects: ['kept'] });
      await jetstream(client).publish('kept', String(round));
      await killAndStart(server);
      await client.closed();
    }
    const client = await connect({ servers: server.url });
    const { state } = await (await jetstreamManager(client)).streams.info('KEPT');
    expect(state.messages).toBe(ROUNDS);
    await client.close();
  });

  it('knows the users of its configuration and nobody else', async () => {
    const users = [{ service: 'ingest', password: 'secret', permissions: { publish: ['a'], subscribe: ['b'] } }];
    const server = stopAtEnd(await startNats({ program, config: formatNatsConfig({ users, isDurable: true }) }));
    await expect(connect({ servers: server.url, reconnect: false })).rejects.toThrow(/authorization/i);
    const client = await connect({ servers: server.url, user: 'ingest', pass: 'secret' });
    const refused = new Promise((resolve) => {
      client.subscribe('c', { callback: (error) => resolve(String(error)) });
    });
    expect(await refused).toContain('Permissions Violation');
    await client.close();
  });
});

async function checkObjectStore(server: RunningObjectStore): Promise<void> {
  const { hostname, port } = new URL(server.endpoint);
  const { accessKey, secretKey } = server;
  const client = new Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey, secretKey });
  await client.makeBucket('kept');
  for (let round = 0; round < ROUNDS; round += 1) {
    await client.putObject('kept', `object-${round}`, 'content');
    await killAndStart(server);
  }
  const found = await Array.fromAsync(client.listObjectsV2('kept'));
  expect(found.map(({ name }) => name)).toEqual(['object-0', 'object-1', 'object-2']);
}

const objectStores: ['minio' | 'versitygw', (options: ObjectStoreOptions) => Promise<RunningObjectStore>][] = [
  ['minio', startMinio],
  ['versitygw', startVersitygw],
];

for (const [name, start] of objectStores) {
  describeServer(name, (program) => {
    it('is killed and started again, and keeps what it acknowledged', async () => {
      await checkObjectStore(stopAtEnd(await start({ program })));
    });
  });
}
