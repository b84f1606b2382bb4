import { sql } from 'drizzle-orm';
import type { PgDatabase, PgQueryResultHKT } from 'drizzle-orm/pg-core';
import { runStatement } from '../connection/run-statement.ts';
import type { FunctionsText } from './read-functions.ts';

type Executor = Pick<PgDatabase<PgQueryResultHKT>, 'execute'>;

/**
 * Brings the functions of a migrated database to this text, inside the caller's transaction. A database that has a later release of them keeps
 * it: a process of an earlier release calls them with the arguments that it knows. `runScript` runs many statements at once.
 */
export async function applyFunctions(
  executor: Executor,
  runScript: (script: string) => Promise<unknown>,
  { number, checksum, script, owners }: FunctionsText,
): Promise<void> {
  const present = await runStatement<{ number: number; checksum: string } | null>(
    executor,
    sql`select (select jsonb_build_object('number', number, 'checksum', checksum) from drizzle.__attache_functions)`,
  );
  if (present !== null && present.number > number) return;
  if (present?.number === number && present.checksum === checksum) return;
  // A function may call one that comes later in the script.
  await runScript(`set local check_function_bodies = off;\n${script}`);
  await runScript(owners);
  await runScript('delete from drizzle.__attache_functions');
  await executor.execute(
    sql`insert into drizzle.__attache_functions (number, checksum) values (${number}, ${checksum})`,
  );
}
