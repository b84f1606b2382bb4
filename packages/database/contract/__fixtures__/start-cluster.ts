import { randomBytes } from 'node:crypto';
import { type OwnPostgres, useStarts } from '@attache/test-servers';
import postgres, { type Row } from 'postgres';
import { migratePostgres } from '../../src/migrate/migrate-postgres.ts';
import { describeServiceLogin } from './service-login.ts';

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
