import type { PostgresConnection } from './postgres-connection.ts';

const ROUNDS = 3;

async function readServerPid(connection: PostgresConnection): Promise<number> {
  const [row] = await connection.run('select pg_backend_pid() as pid');
  return Number(row?.pid);
}

/**
 * Whether a pooler in transaction mode is in between. A server connection of one's own keeps its process for as long as it is
 * open; behind such a pooler the process changes, or two open connections share one.
 */
export async function isTransactionPooled(
  connection: PostgresConnection,
  second: PostgresConnection,
): Promise<boolean> {
  const [own, others] = [new Set<number>(), new Set<number>()];
  for (let round = 0; round < ROUNDS; round += 1) {
    own.add(await readServerPid(connection));
    others.add(await readServerPid(second));
  }
  return own.size > 1 || others.size > 1 || own.isSubsetOf(others);
}
