import { Fault } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from '../../database.ts';

/** Refuses a login of a service for commands of operators: none of them may what these need. Throws `CONFIGURATION_INVALID` that says what to do. */
export async function requireOperatorLogin(db: Database): Promise<void> {
  const { login, isOperator } = await db.call<{ login: string; isOperator: boolean }>(
    sql`select jsonb_build_object('login', session_user, 'isOperator', pg_has_role(session_user, 'attache_worker', 'member'))`,
  );
  if (isOperator) return;
  throw new Fault(
    'CONFIGURATION_INVALID',
    `Commands of operators have the login attache_operator, and ATTACHE_DATABASE_URL names ${login}: run attache migrate with ATTACHE_DATABASE_OPERATOR_PASSWORD, and name that login here.`,
  );
}
