import { readCpuSeconds } from '../processes/process-cost.ts';
import type { ScaleCluster } from './scale-cluster.ts';

/** The counts of the servers since they started. */
export type ServerCounts = {
  transactions: number;
  busMessages: number;
  storeRequests: number;
  /** Bytes of the session logs' events, as Postgres keeps them. */
  logBytes: number;
  /** Processor time of Postgres, and of all gateways, in seconds. */
  databaseSeconds: number;
  gatewaySeconds: number;
};

export async function readCounts(cluster: ScaleCluster): Promise<ServerCounts> {
  const { sql, gateways, backends } = cluster;
  const [row] = await sql`select pg_stat_force_next_flush(), 
    (select xact_commit + xact_rollback from pg_stat_database where datname = current_database())::float8 as transactions,
    (select coalesce(sum(pg_column_size(l.*)), 0) from session_log l)::float8 as log_bytes`;
  const { in_msgs } = (await (await fetch(`${cluster.natsStatusUrl}/varz`)).json()) as { in_msgs: number };
  return {
    transactions: row?.transactions,
    busMessages: in_msgs,
    storeRequests: cluster.store.count(),
    logBytes: row?.log_bytes,
    databaseSeconds: await readCpuSeconds([backends.postgres.pid]),
    gatewaySeconds: await readCpuSeconds(gateways.map(({ process: { pid } }) => pid ?? 0)),
  };
}

/** How much each rose. */
export function difference(before: ServerCounts, after: ServerCounts): ServerCounts {
  const names = Object.keys(before) as (keyof ServerCounts)[];
  return Object.fromEntries(names.map((name) => [name, after[name] - before[name]])) as ServerCounts;
}

/** Connections of the services to the database now. */
export async function countConnections({ sql }: ScaleCluster): Promise<number> {
  const [row] = await sql`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and usename like 'attache%'`;
  return row?.count ?? 0;
}
