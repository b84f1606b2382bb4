import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findFreePort } from '@attache/infra/native/processes/free-port';
import { type HostedStack, type SpawnedService, spawnService, startHosted } from '@attache/test-harness';
import postgres from 'postgres';
import { type Backends, startBackends } from '../hosted/start-backends.ts';
import { type CountedWay, openCountedWay } from './count-requests.ts';

/** A hosted stack with several gateways, and what is counted at its servers. */
export type ScaleCluster = {
  stack: HostedStack;
  backends: Backends;
  gateways: readonly SpawnedService[];
  sql: postgres.Sql;
  store: CountedWay;
  /** The address at which NATS reports its status. */
  natsStatusUrl: string;
  /** Leaves the first of the gateways that were started alone, or starts the others again. */
  keep(gatewayCount: number): Promise<void>;
  /** Ends one after the other as a deployment does, and starts it again. */
  restartEach(): Promise<void>;
  stop(): Promise<void>;
};

const UNLIMITED = '1000000';
/** Until the gateways know of each other, and the lease of a single one is short again. */
const SETTLED_MS = 3_000;

/** Starts it with this many gateways, each of which may run so many agents. */
export async function startScaleCluster(
  say: (line: string) => void,
  { gatewayCount, agentsPerGateway }: { gatewayCount: number; agentsPerGateway: number },
): Promise<ScaleCluster> {
  await using ending = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'attache-scale-'));
  ending.defer(() => rm(folder, { recursive: true, force: true }));
  const command = [await compileAgent(folder)];
  const backends = await startBackends(say, { settings: { max_connections: '300' } });
  ending.defer(() => backends.stop());
  const store = await openCountedWay(backends.store.endpoint);
  ending.defer(() => store.close());
  const statusPort = await findFreePort();
  const tiny = { runtime: 'acp', command, ownTools: 'none', provider: 'example', model: 'example-vision' };
  const stack = await startHosted({
    servers: {
      postgres: backends.postgres,
      minio: { ...backends.store, endpoint: store.url },
      startNats: ({ config = '' }) => backends.startNats({ config: `${config}\nhttp: "127.0.0.1:${statusPort}"\n` }),
    },
    profiles: { tiny: { ...tiny, sandbox: { mode: 'none' } } },
    environment: {
      ATTACHE_LOG_LEVEL: 'error',
      ATTACHE_RATE_PER_KEY: UNLIMITED,
      ATTACHE_RATE_PER_TENANT: UNLIMITED,
      ATTACHE_MAX_AGENTS: String(agentsPerGateway),
    },
  });
  ending.defer(() => stack.stop());
  await stack.services['runner-gateway'].end('SIGTERM');
  const gateways: SpawnedService[] = [];
  ending.defer(() => endAll(gateways));
  const sql = postgres(stack.database.superuserUrl, { max: 2, onnotice: () => {} });
  ending.defer(() => sql.end());
  const keep = async (count: number) => {
    await endAll(gateways.splice(count));
    while (gateways.length < count) gateways.push(await spawnGateway(stack, gateways.length));
    await new Promise((wake) => setTimeout(wake, SETTLED_MS));
  };
  const restartEach = async () => {
    for (const [place, gateway] of gateways.entries()) {
      await gateway.end('SIGTERM');
      gateways[place] = await spawnGateway(stack, place);
      await new Promise((wake) => setTimeout(wake, SETTLED_MS));
    }
  };
  await keep(gatewayCount);
  const opened = ending.move();
  return {
    ...{ stack, backends, gateways, sql, store, keep, restartEach },
    natsStatusUrl: `http://127.0.0.1:${statusPort}`,
    stop: () => opened.disposeAsync(),
  };
}

const source = fileURLToPath(new URL('./tiny-agent.c', import.meta.url));

/** Compiles the smallest agent there is, of less than a megabyte of memory; answers its path. */
async function compileAgent(folder: string): Promise<string> {
  const program = join(folder, 'tiny-agent');
  try {
    await promisify(execFile)('cc', ['-O2', '-static', '-o', program, source]);
  } catch (error) {
    throw new Error('The agent of this bench is a C program: install a compiler (cc) with its static C library.', {
      cause: error,
    });
  }
  return program;
}

async function endAll(gateways: readonly SpawnedService[]): Promise<void> {
  await Promise.all(gateways.map((gateway) => gateway.end('SIGTERM')));
}

async function spawnGateway(stack: HostedStack, place: number): Promise<SpawnedService> {
  const dataDir = join(stack.dataDir, `gateway-${place}`);
  await mkdir(dataDir, { recursive: true });
  return spawnService('runner-gateway', {
    ...stack.environmentOf('runner-gateway'),
    ATTACHE_REPLICA_ID: `scale-${process.pid}-${place}`,
    ATTACHE_DATA_DIR: dataDir,
  });
}
