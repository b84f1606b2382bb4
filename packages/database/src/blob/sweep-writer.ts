import { eq, sql } from 'drizzle-orm';
import { runStatement } from '../connection/run-statement.ts';
import type { Database } from '../database.ts';
import { sweep } from '../schema.ts';

/** Takes a sweep that is due. Of all processes that ask, one gets `true`; who dies during it leaves it to the next time. */
export async function claimSweep(db: Database, name: string, everyMs: number): Promise<boolean> {
  return db.asWorker((tx) =>
    runStatement<boolean>(
      tx,
      sql`with taken as (
        insert into sweep as s (name, last_run_at) values (${name}, now())
          on conflict (name) do update set last_run_at = excluded.last_run_at
          where s.last_run_at <= now() - make_interval(secs => ${everyMs}::float8 / 1000)
          returning 1)
        select to_jsonb(exists (select 1 from taken))`,
    ),
  );
}

/** Records how many things the last run found. */
export async function recordSweep(db: Database, name: string, found: number): Promise<void> {
  await db.asWorker(async (tx) => {
    await tx.update(sweep).set({ found }).where(eq(sweep.name, name));
  });
}
