import { randomUUID } from 'node:crypto';
import type { Cluster } from './start-cluster.ts';

/** Settings of a server that notes the plan of every statement, also of those inside functions. */
export const watchedSettings = {
  shared_preload_libraries: 'auto_explain',
  'auto_explain.log_min_duration': '0',
  'auto_explain.log_nested_statements': 'on',
  'auto_explain.log_analyze': 'on',
  'auto_explain.log_buffers': 'on',
  'auto_explain.log_timing': 'off',
  'auto_explain.log_format': 'json',
  logging_collector: 'on',
  log_destination: 'jsonlog',
  log_filename: 'postgresql.log',
  autovacuum: 'off',
} as const;

/** The reads of some work's statements: buffers of all statements, the tables that were read from end to end, and the names of our SQL functions in them. */
export type Watched = { buffers: number; scannedTables: string[]; functions: string[] };

type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: PlanNode[];
};
type Line = { message?: string; context?: string; user?: string };

const LOG = 'log/postgresql.json';

/** The log's size, once everything up to now is in it: its collector is a process of its own. */
async function readSize({ asSuperuser }: Cluster): Promise<number> {
  const mark = randomUUID();
  await asSuperuser(`select '${mark}'`);
  for (;;) {
    const [found] = await asSuperuser(
      `select f.size::bigint as size, position('${mark}'::bytea in pg_read_binary_file('${LOG}', greatest(0, f.size - 20000), 40000)) > 0 as "isWhole"
         from pg_stat_file('${LOG}') f`,
    );
    if (found?.isWhole) return Number(found.size);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const below of node.Plans ?? []) yield* nodesOf(below);
}

const buffersOf = (node: PlanNode) => (node['Shared Hit Blocks'] ?? 0) + (node['Shared Read Blocks'] ?? 0);

/** Runs work of a service and returns the reads of its statements, as the server recorded them. */
export async function watchStatements(cluster: Cluster, work: () => Promise<unknown>): Promise<Watched> {
  const from = await readSize(cluster);
  await work();
  const to = await readSize(cluster);
  const [read] = await cluster.asSuperuser(`select pg_read_file('${LOG}', ${from}, ${to - from}) as text`);
  const plans = String(read?.text)
    .split('\n')
    .filter((line) => line.startsWith('{') && line.endsWith('}'))
    .map((line): Line => JSON.parse(line))
    .filter(({ user, message }) => user === 'attache_service' && message?.includes('plan:'))
    .map(({ message = '', context }) => ({
      // A statement inside a function is counted with the one that called it.
      isOuter: context === undefined,
      ...(JSON.parse(message.slice(message.indexOf('{'))) as { Plan: PlanNode; 'Query Text': string }),
    }));
  const scans = plans.flatMap(({ Plan }) => [...nodesOf(Plan)].filter((node) => node['Node Type'] === 'Seq Scan'));
  return {
    buffers: plans.filter(({ isOuter }) => isOuter).reduce((sum, { Plan }) => sum + buffersOf(Plan), 0),
    scannedTables: [...new Set(scans.map((node) => node['Relation Name'] ?? ''))],
    functions: [...new Set(plans.flatMap((plan) => plan['Query Text'].match(/attache_\w+/g) ?? []))],
  };
}
