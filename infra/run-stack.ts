import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Backends, type StoreName, startBackends } from './backends.ts';
import { readEnvironment } from './config.ts';
import type { Environment } from './native/build/server-source.ts';
import { findFreePort } from './native/processes/free-port.ts';
import {
  runMigrate,
  type ServiceName,
  type ServiceProcess,
  serviceNames,
  sourceCli,
  spawnService,
} from './spawn-service.ts';

/** A hosted stack: its servers and one process of each service. */
export type RunningStack = {
  /** The address at which ingest serves its clients. */
  url: string;
  apiKey: string;
  services: readonly ServiceProcess[];
  servers: Backends['servers'];
  store: StoreName;
  /** A file of variables, for its owner alone, with which `attache` commands act on this stack. */
  operatorFile: string;
  /** Name of the gateway that owns a session (its public id) of the tenant `local`; undefined if none does. */
  findOwner(sessionId: string): Promise<string | undefined>;
  /** Ends the gateway of this name as a crash does. */
  killGateway(name: string): Promise<void>;
  stop(): Promise<void>;
};

type StackOptions = {
  /** Data, secrets and logs; kept. */
  folder: string;
  /** The S3 server of a new folder; MinIO without it. */
  store?: StoreName | undefined;
  /** A bundled command line; the sources without it. */
  cli?: string | undefined;
  /** Whether what it acknowledges outlives the machine, too. */
  isDurable: boolean;
  /** How many gateways run side by side; one without it. */
  gatewayCount?: number | undefined;
  /** For all services, above what they need. */
  environment?: Readonly<Record<string, string>>;
  /** Gets a line for each thing that happens. */
  onProgress(line: string): void;
};

/** Starts the servers, migrates, and starts the services through the command line. All of it ends with this process. */
export async function startStack(options: StackOptions): Promise<RunningStack> {
  const backends = await startBackends(options);
  const services: ServiceProcess[] = [];
  const stop = async () => {
    await Promise.all(services.map((service) => service.stop()));
    await backends.stop();
  };
  try {
    const url = `http://127.0.0.1:${await findFreePort()}`;
    const environmentOf = describeEnvironments(backends, url, options.environment);
    options.onProgress('preparing the database and the bucket …');
    const { folder, cli = sourceCli, gatewayCount = 1 } = options;
    await runMigrate({ folder, cli, environment: environmentOf('migrate') });
    options.onProgress('starting ingest, projector and runner-gateway …');
    await startServices({ folder, cli, gatewayCount }, environmentOf, (service) => services.push(service));
    const { apiKey, servers, store } = backends;
    const operatorFile = await writeOperatorFile(folder, {
      ...backends.environmentOf('operator'),
      ATTACHE_PUBLIC_URL: url,
    });
    return {
      ...{ url, apiKey, services, servers, store, operatorFile, stop },
      async findOwner(sessionId) {
        const operator = { cli, environment: environmentOf('operator') };
        const { items } = (await runOperator(['session', 'list', 'local'], operator)) as { items: ListedSession[] };
        const found = items.find((item) => item.sessionId === sessionId);
        return found?.state === 'owned' ? found.gateway : undefined;
      },
      async killGateway(gateway) {
        await services.find(({ name }) => nameOf(folder, name) === gateway)?.kill();
      },
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

// The variables of operators' commands and of the doctor.
const isForOperator = (name: string): boolean => /^ATTACHE_(DATABASE|NATS|S3|SIGNING|SECRET|PUBLIC)_/.test(name);

const quote = (value: string): string => `'${value.replaceAll("'", "'\\''")}'`;

/**
 * Writes the variables with which `attache` commands act on this stack, as lines for a shell, 0600: they hold passwords, which belong on
 * no command line. Returns the path.
 */
async function writeOperatorFile(folder: string, environment: Readonly<Record<string, string>>): Promise<string> {
  const path = join(folder, 'operator.env');
  const named = Object.entries(environment).filter(([name]) => isForOperator(name));
  const lines = named.map(([name, value]) => `export ${name}=${quote(value)}`);
  await writeFile(`${path}.draft`, `${lines.join('\n')}\n`, { mode: 0o600 });
  await rename(`${path}.draft`, path);
  return path;
}

/** Runs a command of the operator, as `attache session list`, to its end; answers what it says to programs. */
async function runOperator(
  command: readonly string[],
  { cli, environment }: { cli: string; environment: Environment },
): Promise<unknown> {
  const { stdout } = await promisify(execFile)(process.execPath, [cli, ...command, '--json'], {
    env: environment as NodeJS.ProcessEnv,
  });
  return JSON.parse(stdout);
}

type ListedSession = { sessionId: string; state: string; gateway?: string };

type EnvironmentOf = (process: ServiceName | 'migrate' | 'operator') => Readonly<Record<string, string | undefined>>;

function describeEnvironments(backends: Backends, url: string, given: StackOptions['environment']): EnvironmentOf {
  const variables = { ATTACHE_OPS_PORT: '0', ATTACHE_PORT: new URL(url).port, ATTACHE_PUBLIC_URL: url };
  return (process) => ({
    ...readEnvironment(),
    ...(process !== 'migrate' && variables),
    ...backends.environmentOf(process),
    ...given,
  });
}

async function startServices(
  { folder, cli, gatewayCount }: { folder: string; cli: string; gatewayCount: number },
  environmentOf: EnvironmentOf,
  onStart: (service: ServiceProcess) => void,
): Promise<void> {
  const logFolder = join(folder, 'logs');
  await mkdir(logFolder, { recursive: true, mode: 0o700 });
  const starting = listProcesses(gatewayCount).map(async ({ service, name }) => {
    const dataDir = join(folder, name);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const logFile = join(logFolder, `${name}.log`);
    const own = service === 'runner-gateway' ? { ATTACHE_REPLICA_ID: nameOf(folder, name) } : {};
    const environment = { ...environmentOf(service), ATTACHE_DATA_DIR: dataDir, ...own };
    return spawnService(service, { name, folder, cli, logFile, environment });
  });
  // All are waited for, so that those that did start are stopped when another one fails.
  for (const each of await Promise.allSettled(starting)) if (each.status === 'fulfilled') onStart(each.value);
  await Promise.all(starting);
}

/** One process of each service, and further gateways, each with a number. */
function listProcesses(gatewayCount: number): { service: ServiceName; name: string }[] {
  const further = Array.from({ length: gatewayCount - 1 }, (_, index) => `runner-gateway-${index + 2}`);
  return [
    ...serviceNames.map((service) => ({ service, name: service })),
    ...further.map((name) => ({ service: 'runner-gateway' as const, name })),
  ];
}

/** The name of a gateway. Its folder is part of it, so that gateways of two stacks on a machine do not take each other for an earlier life. */
const nameOf = (folder: string, name: string): string =>
  `${name}-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`;
