import postgres from 'postgres';

/** Settings of a server that counts each statement of its clients. */
export const countingSettings = { shared_preload_libraries: 'pg_stat_statements' } as const;

/** Settings of a server that also counts how often each statement inside a function is planned. This adds to its own work. */
export const planCountingSettings = {
  ...countingSettings,
  ...{ 'pg_stat_statements.track': 'all', 'pg_stat_statements.track_planning': 'on' },
} as const;

/** One statement of a service: how often it was sent, and how long the server worked on it each time. */
export type StatementCalls = { login: string; statement: string; calls: number; meanMs: number };

export type Watched = {
  /** Without what opens and ends a transaction. */
  statements: StatementCalls[];
  /** Statements that were planned, those inside functions too; none without `planCountingSettings`. */
  planned: { statement: string; plans: number }[];
  /** Transactions that wrote something. */
  writingTransactions: number;
};

export type CallWatch = {
  /** The statements that the services sent to this database while `work` ran. Their own upkeep is included. */
  during(work: () => Promise<unknown>): Promise<Watched>;
  /** Has a table's rows counted, as services do now and then. */
  analyse(table: string): Promise<unknown>;
  end(): Promise<void>;
};

const opensOrEnds = /^\s*(begin|commit|rollback|savepoint|release)/i;

/** Watches a database of a server that was started with `countingSettings`, as its superuser. */
export async function watchCalls(superuserUrl: string): Promise<CallWatch> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  await sql`create extension if not exists pg_stat_statements`;
  const readTransaction = async () => {
    const [row] = await sql`select pg_snapshot_xmax(pg_current_snapshot())::text as xmax`;
    return BigInt(row?.xmax);
  };
  const readCalls = () => sql<StatementCalls[]>`
    select r.rolname as login, s.query as statement, s.calls::int as calls, s.mean_exec_time as "meanMs"
      from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
     where s.toplevel and d.datname = current_database() and r.rolname <> current_user
     order by s.calls desc`;
  const readPlanned = () => sql<Watched['planned']>`
    select s.query as statement, s.plans::int as plans
      from pg_stat_statements s join pg_roles r on r.oid = s.userid join pg_database d on d.oid = s.dbid
     where s.plans > 0 and d.datname = current_database() and r.rolname <> current_user
     order by s.plans desc`;
  return {
    async during(work) {
      await sql`select pg_stat_statements_reset()`;
      const before = await readTransaction();
      await work();
      const after = await readTransaction();
      const statements = (await readCalls()).filter(({ statement }) => !opensOrEnds.test(statement));
      return { statements, planned: await readPlanned(), writingTransactions: Number(after - before) };
    },
    analyse: (table) => sql`analyze ${sql(table)}`,
    end: () => sql.end(),
  };
}
