import { randomBytes } from 'node:crypto';
import { type OwnPostgres, useStarts } from '@attache/test-servers';
import postgres, { type Row } from 'postgres';
import { migratePostgres } from '../../src/migrate/migrate-postgres.ts';

type Login = { user: string; password: string; database: string };

/** A Postgres server of one suite, with a database that a login without superuser rights owns and has migrated. */
export type Cluster = {
  server: OwnPostgres;
  owner: Login;
  service: Login;
  ownerUrl: string;
  serviceUrl: string;
  /** Runs SQL as the superuser, in the given database or the suite's own. */
  asSuperuser(statements: string, database?: string): Promise<Row[]>;
  /** Makes a database of the owner and answers the owner's URL of it. */
  createDatabase(name: string): Promise<string>;
  stop(): Promise<void>;
};

/** Makes a login that may all that the services may together, as these suites are of all of them. */
export const describeServiceLogin = ({ user, password }: Pick<Login, 'user' | 'password'>) =>
  `create role ${user} login noinherit password '${password}' in role attache_app, attache_worker;
   alter role ${user} set statement_timeout = '15s'; alter role ${user} set lock_timeout = '5s';
   alter role ${user} set idle_in_transaction_session_timeout = '30s'`;

const newPassword = () => randomBytes(8).toString('hex');

export async function startCluster(programs: string, settings: Record<string, string> = {}): Promise<Cluster> {
  const server = await useStarts().postgres({ programs, settings: { fsync: 'off', ...settings } });
  try {
    const database = 'attache';
    const owner = { user: 'migrator', password: newPassword(), database };
    const service = { user: 'attache_service', password: newPassword(), database };
    const superuser = new URL(server.superuserUrl);
    const asSuperuser = async (statements: string, into = database) => {
      superuser.pathname = `/${into}`;
      const admin = postgres(superuser.href, { max: 1, onnotice: () => {} });
      try {
        return [...(await admin.unsafe(statements))];
      } finally {
        await admin.end();
      }
    };
    const createDatabase = async (name: string) => {
      await asSuperuser(`create database ${name} owner migrator`, 'postgres');
      return server.urlOf({ ...owner, database: name });
    };
    await asSuperuser(`create role migrator login nosuperuser createrole password '${owner.password}'`, 'postgres');
    const ownerUrl = await createDatabase(database);
    await migratePostgres({ url: ownerUrl });
    await asSuperuser(describeServiceLogin(service));
    const serviceUrl = server.urlOf(service);
    return { server, owner, service, ownerUrl, serviceUrl, asSuperuser, createDatabase, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}
