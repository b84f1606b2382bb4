import { createHash, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import postgres from 'postgres';
import { migratePostgres } from '../src/migrate/migrate-postgres.ts';
import { migrationsFolder } from '../src/migrate/migrations-folder.ts';
import { describeServiceLogin } from './__fixtures__/service-login.ts';

// Roles belong to the whole server, so that all test databases share their logins.
const MIGRATOR = { user: 'attache_migrator', password: 'test-migrator-password' };
const servicePasswords = {
  ingest: 'test-ingest-password',
  projector: 'test-projector-password',
  gateway: 'test-gateway-password',
  operator: 'test-operator-password',
} as const;
// May all that the services may together, for suites that are several of them on one connection.
const ALL = { user: 'attache_all_services', password: 'test-all-password' };
const PREPARE_LOCK = 7_201_146;

export type HostedDatabase = {
  /** URL of the login of a service, or of operators. */
  urlOf(service: keyof typeof servicePasswords): string;
  /** URL of a login that may all that the services may together. */
  allUrl: string;
  ownerUrl: string;
  superuserUrl: string;
  /** Runs statements that no service may. */
  runAsSuperuser(statements: string): Promise<void>;
  drop(): Promise<void>;
};

async function hashMigrations(): Promise<string> {
  const hash = createHash('sha256');
  for (const name of (await readdir(migrationsFolder)).filter((file) => file.endsWith('.sql')).sort()) {
    hash.update(await readFile(join(migrationsFolder, name)));
  }
  return hash.digest('hex').slice(0, 12);
}

const withDatabase = (url: string, database: string, login?: { user: string; password: string }): string => {
  const changed = new URL(url);
  changed.pathname = `/${database}`;
  if (login) Object.assign(changed, { username: login.user, password: login.password });
  return changed.toString();
};

async function prepareTemplate(sql: postgres.Sql, superuserUrl: string, template: string): Promise<void> {
  const [found] = await sql`select 1 from pg_database where datname = ${template}`;
  if (found) return;
  const [migrator] = await sql`select 1 from pg_roles where rolname = ${MIGRATOR.user}`;
  if (!migrator) await sql.unsafe(`create role ${MIGRATOR.user} login createrole password '${MIGRATOR.password}'`);
  const draft = `${template}_draft`;
  await sql.unsafe(`drop database if exists ${draft} with (force)`);
  await sql.unsafe(`create database ${draft} owner ${MIGRATOR.user}`);
  await migratePostgres({ url: withDatabase(superuserUrl, draft, MIGRATOR), servicePasswords });
  const [all] = await sql`select 1 from pg_roles where rolname = ${ALL.user}`;
  if (!all) await sql.unsafe(describeServiceLogin(ALL));
  await sql.unsafe(`alter database ${draft} rename to ${template}`);
}

/** A migrated database of its own on the test server, with the logins of the services and of operators. */
export async function createHostedDatabase(superuserUrl: string): Promise<HostedDatabase> {
  const sql = postgres(superuserUrl, { max: 1, onnotice: () => {} });
  const name = `attache_${randomBytes(6).toString('hex')}`;
  try {
    const template = `attache_template_${await hashMigrations()}`;
    // One test process at a time prepares, and copies: a template may not be in use.
    await sql`select pg_advisory_lock(${PREPARE_LOCK})`;
    await prepareTemplate(sql, superuserUrl, template);
    await sql.unsafe(`create database ${name} owner ${MIGRATOR.user} template ${template}`);
  } finally {
    await sql.end();
  }
  return {
    urlOf: (service) =>
      withDatabase(superuserUrl, name, { user: `attache_${service}`, password: servicePasswords[service] }),
    allUrl: withDatabase(superuserUrl, name, ALL),
    ownerUrl: withDatabase(superuserUrl, name, MIGRATOR),
    superuserUrl: withDatabase(superuserUrl, name),
    async runAsSuperuser(statements) {
      const admin = postgres(withDatabase(superuserUrl, name), { max: 1, onnotice: () => {} });
      await admin.unsafe(statements);
      await admin.end();
    },
    async drop() {
      const admin = postgres(superuserUrl, { max: 1, onnotice: () => {} });
      await admin.unsafe(`drop database if exists ${name} with (force)`);
      await admin.end();
    },
  };
}
