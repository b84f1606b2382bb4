import { ensureServerProgram } from './native/build/find-or-build-server.ts';
import type { Environment, ServerName } from './native/build/server-source.ts';
import { hasContainerEngine } from './native/processes/run-container.ts';
import { ensurePostgresPrograms } from './native/servers/find-postgres.ts';
import { type ServerPrograms, type ServerStarts, startsOf } from './native/servers/server-starts.ts';

/** The servers that can be had here. */
export type FoundServers = {
  from: 'containers' | 'native';
  programs: ServerPrograms;
  starts: Partial<ServerStarts>;
  /** Servers that cannot be had, why, and what to do about it. */
  missing: { name: keyof ServerStarts; why: string }[];
};

type Search = { environment: Environment; onProgress?(line: string): void };

const IMAGES = {
  postgres: 'docker://postgres:17.11-bookworm',
  nats: 'docker://nats:2.15.0-alpine',
  minio: 'docker://quay.io/minio/minio:RELEASE.2025-09-07T16-13-09Z',
  versitygw: 'docker://versity/versitygw:v1.8.0',
} as const;

/** The servers that tests run on: containers if an engine answers, else programs of this machine, found or built. */
export async function findServers(search: Search): Promise<FoundServers> {
  if (await hasContainerEngine())
    return { from: 'containers', programs: IMAGES, starts: startsOf(IMAGES), missing: [] };
  return findNativeServers(search, ['postgres', 'nats', 'minio', 'versitygw']);
}

/** The wanted servers as programs of this machine, found or built. */
export async function findNativeServers(
  search: Search,
  wanted: readonly (keyof ServerStarts)[],
): Promise<FoundServers & { from: 'native' }> {
  const ensure = async (name: ServerName) => ensureServerProgram({ ...search, name });
  const find = {
    postgres: () => ensurePostgresPrograms(search.environment.PATH ?? ''),
    nats: () => ensure('nats-server'),
    // A stack needs its client, too: both are brought before any test waits for them.
    minio: async () => {
      const [server, client] = [await ensure('minio'), await ensure('mc')];
      return 'missing' in client ? client : server;
    },
    versitygw: () => ensure('versitygw'),
  };
  const programs: ServerPrograms = {};
  const missing: FoundServers['missing'] = [];
  // One after the other: a build takes all cores.
  for (const name of wanted) {
    const found = await find[name]();
    if ('program' in found) programs[name] = found.program;
    else missing.push({ name, why: found.missing });
  }
  return { from: 'native', programs, starts: startsOf(programs), missing };
}
