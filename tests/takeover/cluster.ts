import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import { type HostedStack, type SpawnedService, spawnService, startHosted } from '@attache/test-harness';
import { type LinkProxy, openLinkProxy } from './link-proxy.ts';

const linkNames = ['postgres', 'nats', 's3'] as const;
export type LinkName = (typeof linkNames)[number];

/** A gateway process with a folder, a name and links of its own. */
export type ClusterGateway = {
  readonly name: string;
  readonly dataDir: string;
  readonly links: Readonly<Record<LinkName, LinkProxy>>;
  /** The present life of it. */
  service: SpawnedService;
  /** Starts it again under its name. `clockOffsetMs`: by how much its clock is wrong. */
  start(options?: { clockOffsetMs?: number }): Promise<void>;
};

/** A hosted stack with several gateways, on machines that share no folder as far as they can tell. */
export type Cluster = {
  readonly stack: HostedStack;
  readonly gateways: readonly ClusterGateway[];
  /** How its object store is reached by whoever may do all in it. */
  readonly store: { endpoint: string; accessKey: string; secretKey: string; bucket: string };
  /** Ends NATS for so long; it comes back with nothing of what it had stored. */
  loseNats(downMs: number): Promise<void>;
  /** Ends Postgres as a failover does, and starts it again. */
  restartPostgres(): Promise<void>;
  stop(): Promise<void>;
};

const PROFILES = {
  example: {
    ...{ runtime: 'acp', command: ['attache-example-agent'], provider: 'example', model: 'example-vision' },
    // Each gateway serves one tenant: what is tried here is not the sandbox.
    sandbox: { mode: 'none' },
  },
};

const DRAIN_MS = 4_000;

export type ClusterOptions = {
  /** Beside the one of the example agent. */
  profiles?: Readonly<Record<string, unknown>>;
  /** The environment of all services. */
  environment?: Readonly<Record<string, string>>;
  /** The environment of each gateway, in their order. */
  environments?: readonly Readonly<Record<string, string>>[];
};

export async function startCluster(
  starts: ServerStarts,
  gatewayCount: number,
  { profiles = {}, environment = {}, environments = [] }: ClusterOptions = {},
): Promise<Cluster> {
  const postgres = await starts.postgres({ settings: { max_connections: '200' } });
  const minio = await starts.minio({});
  const natsFolder = await mkdtemp(join(tmpdir(), 'attache-cluster-nats-'));
  const stack = await startHosted({
    servers: { postgres, minio, startNats: (options) => starts.nats({ ...options, folder: natsFolder }) },
    profiles: { ...PROFILES, ...profiles },
    environment: { ATTACHE_LOG_LEVEL: 'info', ATTACHE_RECONCILE_SECONDS: '5', ...environment },
  });
  // The first one of the stack itself has no links that could be cut.
  await stack.services['runner-gateway'].end('SIGTERM');
  const gateways: ClusterGateway[] = [];
  for (let count = 0; count < gatewayCount; count += 1)
    gateways.push(await openGateway(stack, `gateway-${count}`, environments[count]));
  return {
    stack,
    gateways,
    store: { ...minio, bucket: stack.environmentOf('ingest').ATTACHE_S3_BUCKET ?? '' },
    async loseNats(downMs) {
      await stack.nats.kill();
      await rm(join(natsFolder, 'jetstream'), { recursive: true, force: true });
      await delay(downMs);
      await mkdir(join(natsFolder, 'jetstream'), { recursive: true });
      await stack.nats.start();
    },
    async restartPostgres() {
      await postgres.kill();
      await postgres.start();
    },
    async stop() {
      await Promise.all(gateways.map(({ service }) => service.end('SIGKILL')));
      await Promise.all(gateways.flatMap(({ links }) => linkNames.map((name) => links[name].close())));
      await stack.stop();
      await Promise.all([minio.stop(), postgres.stop()]);
      await rm(natsFolder, { recursive: true, force: true });
    },
  };
}

async function openGateway(
  stack: HostedStack,
  suffix: string,
  given: Readonly<Record<string, string>> = {},
): Promise<ClusterGateway> {
  const environment = stack.environmentOf('runner-gateway');
  const name = `${stack.dataDir.slice(-6)}-${suffix}`;
  const dataDir = join(stack.dataDir, suffix);
  await mkdir(dataDir, { recursive: true });
  const [postgres, nats, s3] = await Promise.all(
    [environment.ATTACHE_DATABASE_URL, environment.ATTACHE_NATS_URL, environment.ATTACHE_S3_ENDPOINT].map((url) => {
      const { hostname, port } = new URL(url ?? '');
      return openLinkProxy({ host: hostname, port: Number(port) });
    }),
  );
  if (!postgres || !nats || !s3) throw new Error('a link could not be opened');
  const through = (url: string | undefined, { port }: LinkProxy) => {
    const changed = new URL(url ?? '');
    changed.hostname = '127.0.0.1';
    changed.port = String(port);
    return changed.href.replace(/\/$/, '');
  };
  const own = {
    ...environment,
    ATTACHE_REPLICA_ID: name,
    ATTACHE_DATA_DIR: dataDir,
    ATTACHE_DRAIN_MS: String(DRAIN_MS),
    ATTACHE_PINNED_TENANT: 'local',
    ATTACHE_DATABASE_URL: through(environment.ATTACHE_DATABASE_URL, postgres),
    ATTACHE_NATS_URL: through(environment.ATTACHE_NATS_URL, nats),
    ATTACHE_S3_ENDPOINT: through(environment.ATTACHE_S3_ENDPOINT, s3),
    ...given,
  };
  const spawn = ({ clockOffsetMs = 0 } = {}) =>
    spawnService('runner-gateway', own, {
      logFile: join(stack.dataDir, `${suffix}.log`),
      nodeOptions: clockOffsetMs === 0 ? [] : ['--import', shiftClock(clockOffsetMs)],
    });
  const gateway = {
    ...{ name, dataDir, links: { postgres, nats, s3 } },
    service: await spawn(),
    async start(options: { clockOffsetMs?: number } = {}) {
      gateway.service = await spawn(options);
    },
  };
  return gateway;
}

/** A module that sets the clock of a process forward or back. */
const shiftClock = (offsetMs: number): string =>
  `data:text/javascript,${encodeURIComponent(`
    const RealDate = Date;
    globalThis.Date = class extends RealDate {
      constructor(...given) { given.length === 0 ? super(RealDate.now() + ${offsetMs}) : super(...given); }
      static now() { return RealDate.now() + ${offsetMs}; }
    };`)}`;
