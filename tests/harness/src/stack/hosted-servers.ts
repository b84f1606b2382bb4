import { startsOf } from '@attache/infra/native/servers/server-starts';
import type { TestServers } from '@attache/test-servers';
import type { HostedServers } from './start-hosted.ts';

/** The servers of a hosted stack under test, from those that its test project shares. Throws if one is missing. */
export function shareServers({ postgres, minio, missing, programs }: TestServers): HostedServers {
  const starts = startsOf(programs);
  if (postgres && minio && starts.nats) return { postgres, minio, startNats: starts.nats };
  const why = missing.map((server) => `${server.name}: ${server.why}`).join('; ');
  throw new Error(`the hosted stack needs Postgres, NATS and MinIO. ${why}`);
}
