import { runCommand } from '@attache/test-harness';
import type { Cluster, ClusterGateway } from './cluster.ts';

/** The gateway that owns a session now, as operators see it. Throws if none does. */
export async function findOwner({ stack, gateways }: Cluster, sessionId: string): Promise<ClusterGateway> {
  const environment = { ATTACHE_DATABASE_URL: stack.database.urlOf('operator') };
  const { stdout, stderr } = await runCommand(['session', 'list', 'local', '--json'], environment);
  if (stdout === '') throw new Error(stderr);
  const { items } = JSON.parse(stdout) as { items: { sessionId: string; gateway: string }[] };
  const name = items.find((item) => item.sessionId === sessionId)?.gateway;
  const owner = gateways.find((gateway) => gateway.name === name);
  if (!owner) throw new Error(`no gateway has ${sessionId}`);
  return owner;
}
