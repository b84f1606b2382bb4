import type { TestServers } from '@attache/test-servers';
import type { TestProject } from 'vitest/node';
import { readEnvironment } from './config.ts';
import { type FoundServers, findServers } from './find-servers.ts';
import type { RunningServer } from './native/processes/spawn-server.ts';
import { findNpmPostgresPrograms } from './native/servers/find-postgres.ts';
import type { ServerStarts } from './native/servers/server-starts.ts';
import type { RunningObjectStore } from './native/servers/start-object-store.ts';

// Nothing here has to outlive the machine; the connections are those of many suites at once.
const POSTGRES_SETTINGS = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', max_connections: '300' };

/** Vitest's global set-up: starts the shared servers, provides them as `servers`, and stops them at the end. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const environment = readEnvironment();
  const found = await findServers({ environment, onProgress: (line) => process.stderr.write(`${line}\n`) });
  const { starts: _starts, ...facts } = found;
  const running: RunningServer[] = [];
  const stopAll = async () => {
    await Promise.all(running.map((server) => server.stop()));
  };
  try {
    const shared: SharedServers = {};
    for (const name of project.getProvidedContext().sharedServers ?? []) {
      const server = await startShared[name](found, shared);
      if (server) running.push(server);
    }
    project.provide('servers', { ...facts, ...shared, newestPostgres: findNpmPostgresPrograms() });
  } catch (error) {
    await stopAll();
    throw error;
  }
  return stopAll;
}

type SharedServers = Pick<TestServers, keyof ServerStarts>;
type StartShared = (found: FoundServers, shared: SharedServers) => Promise<RunningServer | undefined>;

/** Starts a server, if it can be had, and notes how it is reached. */
const startShared: Record<keyof ServerStarts, StartShared> = {
  async postgres({ starts }, shared) {
    const server = await starts.postgres?.({ settings: POSTGRES_SETTINGS });
    if (server) shared.postgres = { superuserUrl: server.superuserUrl };
    return server;
  },
  async nats({ starts, programs }, shared) {
    const server = await starts.nats?.({});
    if (server) shared.nats = { url: server.url, program: programs.nats ?? '' };
    return server;
  },
  async minio({ starts }, shared) {
    const server = await starts.minio?.({});
    if (server) shared.minio = pickAccess(server);
    return server;
  },
  async versitygw({ starts }, shared) {
    const server = await starts.versitygw?.({});
    if (server) shared.versitygw = pickAccess(server);
    return server;
  },
};

// Tests must receive plain data.
function pickAccess({ endpoint, accessKey, secretKey }: RunningObjectStore) {
  return { endpoint, accessKey, secretKey };
}
