import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Backends, type StoreName, startBackends } from './backends.ts';
import { readEnvironment } from './config.ts';
import { findFreePort } from './native/processes/free-port.ts';
import {
  runMigrate,
  type ServiceName,
  type ServiceProcess,
  serviceNames,
  sourceCli,
  spawnService,
} from './spawn-service.ts';
import { writeOperatorFile } from './write-operator-file.ts';

/** A hosted stack: its servers and one process of each service. */
export type RunningStack = {
  /** Where ingest serves its clients. */
  url: string;
  apiKey: string;
  services: readonly ServiceProcess[];
  servers: Backends['servers'];
  store: StoreName;
  /** A file of variables, for its owner alone, with which `attache` commands act on this stack. */
  operatorFile: string;
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
  /** For all services, above what they need. */
  environment?: Readonly<Record<string, string>>;
  /** Gets what is going on, line by line. */
  onProgress(line: string): void;
};

/** Starts the servers, migrates, and starts the three services through the command line. All of it ends with this process. */
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
    const { folder, cli = sourceCli } = options;
    await runMigrate({ folder, cli, environment: environmentOf('migrate') });
    options.onProgress('starting ingest, projector and runner-gateway …');
    await startServices({ folder, cli }, environmentOf, (service) => services.push(service));
    const { apiKey, servers, store } = backends;
    const operatorFile = await writeOperatorFile(folder, {
      ...backends.environmentOf('operator'),
      ATTACHE_PUBLIC_URL: url,
    });
    return { url, apiKey, services, servers, store, operatorFile, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type EnvironmentOf = (process: ServiceName | 'migrate') => Readonly<Record<string, string | undefined>>;

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
  { folder, cli }: { folder: string; cli: string },
  environmentOf: EnvironmentOf,
  onStart: (service: ServiceProcess) => void,
): Promise<void> {
  const logFolder = join(folder, 'logs');
  await mkdir(logFolder, { recursive: true, mode: 0o700 });
  const starting = serviceNames.map(async (name) => {
    await mkdir(join(folder, name), { recursive: true, mode: 0o700 });
    const logFile = join(logFolder, `${name}.log`);
    return spawnService(name, { folder, cli, logFile, environment: environmentOf(name) });
  });
  // All are waited for, so that those that did start are stopped when another one fails.
  for (const each of await Promise.allSettled(starting)) if (each.status === 'fulfilled') onStart(each.value);
  await Promise.all(starting);
}
