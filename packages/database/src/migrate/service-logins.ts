import { Fault } from '@attache/contracts';
import { loginOf, rolesOfLogin } from '../connection/postgres/login-roles.ts';
import type { PostgresConnection } from '../connection/postgres/postgres-connection.ts';
import { createScramVerifier } from './scram-verifier.ts';

export type ServicePasswords = { [service in keyof typeof loginOf]?: string | undefined };

const settings = {
  // A login that hangs must not hold rows that others wait for.
  statement_timeout: '15s',
  lock_timeout: '5s',
  idle_in_transaction_session_timeout: '30s',
  // Indexes are in memory or on flash. With the server's own cost a plan reads all of a table of some hundred rows, and is kept while that grows.
  random_page_cost: '1.1',
};

type Login = { isSuperuser: boolean; bypassesRowSecurity: boolean; inherits: boolean; roles: string[] };

/** Makes the logins of the services and of operators, or brings them to what they must be. A password is set where one is given, and stays where none is. */
export async function ensureServiceLogins(connection: PostgresConnection, passwords: ServicePasswords): Promise<void> {
  for (const [service, name] of Object.entries(loginOf)) {
    await connection.run(
      `do $$ begin create role ${name} login noinherit nosuperuser nobypassrls nocreatedb nocreaterole noreplication;
       exception when duplicate_object or unique_violation then null; end $$`,
    );
    await correctLogin(connection, name);
    for (const [setting, value] of Object.entries(settings)) {
      await connection.run(`alter role ${name} set ${setting} = '${value}'`);
    }
    const password = passwords[service as keyof ServicePasswords];
    if (password) await connection.run(`alter role ${name} password '${createScramVerifier(password)}'`);
  }
}

async function readLogin(connection: PostgresConnection, name: string): Promise<Login> {
  const [row] = await connection.run(
    `select rolsuper as "isSuperuser", rolbypassrls as "bypassesRowSecurity", rolinherit as inherits,
       array_to_json(array(select g.rolname from pg_auth_members m join pg_roles g on g.oid = m.roleid where m.member = r.oid)) as roles
     from pg_roles r where rolname = '${name}'`,
  );
  return row as Login;
}

// Only what is not so already: a migrator may lack the right to change a login that another one made.
async function correctLogin(connection: PostgresConnection, name: keyof typeof rolesOfLogin): Promise<void> {
  const login = await readLogin(connection, name);
  if (login.isSuperuser || login.bypassesRowSecurity) {
    throw new Fault(
      'CONFIGURATION_INVALID',
      `The login ${name} is a superuser or has BYPASSRLS, so row-level security would not hold: take that from it, then migrate again.`,
    );
  }
  if (login.inherits) await connection.run(`alter role ${name} noinherit`);
  const wanted = rolesOfLogin[name];
  for (const role of wanted.filter((role) => !login.roles.includes(role)))
    await connection.run(`grant ${role} to ${name}`);
  // Roles that a release before granted, or somebody else.
  for (const role of login.roles.filter((role) => !wanted.includes(role)))
    await connection.run(`revoke ${role} from ${name}`);
  const { roles } = await readLogin(connection, name);
  const left = roles.filter((role) => !wanted.includes(role));
  if (left.length === 0) return;
  throw new Fault(
    'CONFIGURATION_INVALID',
    `The login ${name} may do more than it needs: take the role ${left.join(', ')} from it as the one who granted it, then migrate again.`,
  );
}
