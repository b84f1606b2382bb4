import { createHostedDatabase, type HostedStack, shareServers, spawnService, startHosted } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, type ExpectStatic, inject, it } from 'vitest';
import { serveOldNats, serveWithoutConditions } from './faulty-servers.ts';

const servers = inject('servers');
const hasServers = Boolean(servers.postgres && servers.minio && servers.nats);

let stack: HostedStack;

/** Starts a second ingest next to the first with changed settings; returns what it said, and whether it came up. */
async function tryStart(
  changes: Record<string, string | undefined>,
  nodeOptions: readonly string[] = [],
): Promise<{ isUp: boolean; said: string }> {
  const environment = { ...stack.environmentOf('ingest'), ATTACHE_PORT: '0', ATTACHE_LOG_LEVEL: 'warn', ...changes };
  const given = Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined);
  try {
    const service = await spawnService('ingest', Object.fromEntries(given), { nodeOptions });
    await service.end('SIGTERM');
    return { isUp: true, said: service.stderr() };
  } catch (error) {
    return { isUp: false, said: (error as Error).message };
  }
}

const changeUrl = (url: string | undefined, change: (url: URL) => void): string => {
  const changed = new URL(url ?? '');
  change(changed);
  return changed.toString();
};

const nothingThere = 'http://127.0.0.1:9';

/** One line of what a person reads, without a stack and without a secret. */
function expectSentence(expect: ExpectStatic, said: string, ...words: (string | RegExp)[]): void {
  for (const word of words) expect(said).toMatch(word);
  expect(said).not.toMatch(/\n\s+at /);
  const { ATTACHE_S3_SECRET_KEY: secret = '', ATTACHE_NATS_URL: nats = '' } = stack.environmentOf('ingest');
  expect(said).not.toContain(secret);
  expect(said).not.toContain(new URL(nats).password);
}

const title = 'a hosted service that cannot work does not start';

// Nothing is registered as skipped where the servers are: CI takes every skip for a fault.
// Each starts a process and waits for its end: side by side.
(hasServers ? describe.concurrent : describe.skip)(
  hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`,
  () => {
    beforeAll(async () => {
      stack = await startHosted({ servers: shareServers(servers) });
    });
    afterAll(() => stack?.stop());

    it('names every setting that is missing, at once [AT-10]', async ({ expect }) => {
      const { isUp, said } = await tryStart({
        ATTACHE_NATS_URL: undefined,
        ATTACHE_S3_BUCKET: undefined,
        ATTACHE_SIGNING_KEYS: 'k1:short',
      });
      expect(isUp).toBe(false);
      expectSentence(expect, said, 'ATTACHE_NATS_URL', 'ATTACHE_S3_BUCKET', 'ATTACHE_SIGNING_KEYS');
    });

    it.for<[string, (env: Record<string, string>) => Record<string, string>, string | RegExp]>([
      [
        'a wrong password of Postgres',
        (env) => ({
          ATTACHE_DATABASE_URL: changeUrl(env.ATTACHE_DATABASE_URL, (url) => {
            url.password = 'wrong';
          }),
        }),
        'ATTACHE_DATABASE_URL',
      ],
      [
        'a Postgres that is not there',
        (env) => ({
          ATTACHE_DATABASE_URL: changeUrl(env.ATTACHE_DATABASE_URL, (url) => {
            url.port = '9';
          }),
        }),
        'ATTACHE_DATABASE_URL',
      ],
      [
        'a wrong password of NATS',
        (env) => ({
          ATTACHE_NATS_URL: changeUrl(env.ATTACHE_NATS_URL, (url) => {
            url.password = 'wrong';
          }),
        }),
        'ATTACHE_NATS_URL',
      ],
      [
        'a NATS that is not there',
        (env) => ({
          ATTACHE_NATS_URL: changeUrl(env.ATTACHE_NATS_URL, (url) => {
            url.port = '9';
          }),
        }),
        'ATTACHE_NATS_URL',
      ],
      ['a wrong secret of S3', () => ({ ATTACHE_S3_SECRET_KEY: 'a-wrong-secret-key' }), 'ATTACHE_S3_SECRET_KEY'],
      ['a bucket that is not there', () => ({ ATTACHE_S3_BUCKET: 'attache-no-such-bucket' }), 'ATTACHE_S3_BUCKET'],
      ['an S3 server that is not there', () => ({ ATTACHE_S3_ENDPOINT: nothingThere }), 'ATTACHE_S3_ENDPOINT'],
    ])('says so of %s', async ([_name, change, variable], { expect }) => {
      const { isUp, said } = await tryStart(change(stack.environmentOf('ingest')));
      expect(isUp).toBe(false);
      expectSentence(expect, said, variable);
    });

    it('refuses a NATS server that is too old, by its version', async ({ expect, onTestFinished }) => {
      const { isUp, said } = await tryStart({ ATTACHE_NATS_URL: await serveOldNats('2.9.10', onTestFinished) });
      expect(isUp).toBe(false);
      expectSentence(expect, said, 'ATTACHE_NATS_URL', /2\.9\.10/);
    });

    it('refuses an S3 server that ignores the condition of a PUT', async ({ expect, onTestFinished }) => {
      const { ATTACHE_S3_ENDPOINT: real = '' } = stack.environmentOf('ingest');
      const endpoint = await serveWithoutConditions(real, onTestFinished);
      const { isUp, said } = await tryStart({ ATTACHE_S3_ENDPOINT: endpoint });
      expect(isUp).toBe(false);
      expectSentence(expect, said, /If-None-Match/);
    });

    it('refuses a login that row-level security does not bind', async ({ expect }) => {
      const { isUp, said } = await tryStart({ ATTACHE_DATABASE_URL: stack.database.superuserUrl });
      expect(isUp).toBe(false);
      expectSentence(expect, said, 'ATTACHE_DATABASE_URL', /superuser|row-level/i);
    });

    it('refuses a schema from the future, and one that is not there, and says what to do', async ({
      expect,
      onTestFinished,
    }) => {
      const database = await createHostedDatabase(servers.postgres?.superuserUrl ?? '');
      onTestFinished(() => database.drop());
      const changes = {
        ATTACHE_DATABASE_URL: database.urlOf('ingest'),
        ATTACHE_INIT_TENANT: undefined,
        ATTACHE_INIT_API_KEY: undefined,
      };
      const sql = postgres(database.superuserUrl, { max: 1, onnotice: () => {} });
      onTestFinished(() => sql.end());
      await sql.unsafe(
        `create or replace function attache_schema_version() returns int language sql immutable as 'select 9999'`,
      );
      const future = await tryStart(changes);
      expect(future.isUp).toBe(false);
      expectSentence(expect, future.said, /newer|future/);
      await sql.unsafe('drop function attache_schema_version() cascade');
      const missing = await tryStart(changes);
      expect(missing.isUp).toBe(false);
      expectSentence(expect, missing.said, /attache migrate/);
    });

    it('warns of a misspelt setting with the nearest one, and starts', async ({ expect }) => {
      const { isUp, said } = await tryStart({ ATTACHE_S3_REGIO: 'eu-west-1' });
      expect(isUp).toBe(true);
      expectSentence(expect, said, 'ATTACHE_S3_REGIO is not a setting', 'ATTACHE_S3_REGION');
    });

    it('warns of a clock that is ten minutes off, and starts', async ({ expect }) => {
      const shift = 'const now = Date.now; Date.now = () => now() + 600000;';
      const preload = `data:text/javascript,${encodeURIComponent(shift)}`;
      const { isUp, said } = await tryStart({}, ['--import', preload]);
      expect(isUp).toBe(true);
      expectSentence(expect, said, /clock of this machine is 6\d\d s ahead of that of the database/);
    });

    it('refuses a well-known secret on an address that is not loopback', async ({ expect }) => {
      const { isUp, said } = await tryStart({
        ATTACHE_S3_ENDPOINT: 'https://s3.example.com',
        ATTACHE_S3_SECRET_KEY: 'minioadmin',
      });
      expect(isUp).toBe(false);
      expectSentence(expect, said, 'ATTACHE_S3_SECRET_KEY');
    });
  },
);
