import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { cli } from '../../tests/harness/src/stack/program.ts';
import { type RunningPostgres, startPostgres } from '../native/servers/start-postgres.ts';

const sql = fileURLToPath(new URL('create-owner.sql', import.meta.url));

async function run(program: string, args: string[], environment: Record<string, string>) {
  const env = { PATH: process.env.PATH ?? '', ...environment };
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = new Promise<number | string | null>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? null));
    child.once('close', resolve);
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await ended, stdout, stderr };
}

const { programs, missing } = inject('servers');
const hasPsql = (await run('psql', ['--version'], {})).code === 0;
const why = missing.find(({ name }) => name === 'postgres')?.why ?? (hasPsql ? undefined : 'psql is not on PATH');

describe.skipIf(why !== undefined)(`the owner of the database${why === undefined ? '' : `: ${why}`}`, () => {
  let postgres: RunningPostgres;
  const password = randomBytes(16).toString('hex');
  const psql = (url: string, args: string[], environment: Record<string, string> = {}) =>
    run('psql', ['--no-psqlrc', '--tuples-only', '--no-align', `--dbname=${url}`, ...args], environment);
  beforeAll(async () => {
    postgres = await startPostgres({ programs: programs.postgres ?? '', settings: { fsync: 'off' } });
  });
  afterAll(() => postgres?.stop());

  it('is not made without a password', async () => {
    const { code, stderr } = await psql(postgres.superuserUrl, ['--file', sql]);
    expect(code).not.toBe(0);
    expect(stderr).toContain('POSTGRES_MIGRATOR_PASSWORD is not set');
  });

  it('may do what attache migrate does, and is no superuser', async () => {
    const made = await psql(postgres.superuserUrl, ['--file', sql], { POSTGRES_MIGRATOR_PASSWORD: password });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    const url = postgres.urlOf({ user: 'attache_migrator', password, database: 'attache' });
    const migrated = await run(process.execPath, [cli, 'migrate'], {
      ATTACHE_DATABASE_URL: url,
      ATTACHE_DATABASE_INGEST_PASSWORD: password,
    });
    expect(migrated).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Stack: hosted, database \S+\n$/) });
    const question = `select rolsuper, rolbypassrls from pg_roles where rolname = 'attache_migrator'`;
    expect((await psql(url, ['--command', question])).stdout.trim()).toBe('f|f');
    const login = postgres.urlOf({ user: 'attache_ingest', password, database: 'attache' });
    expect(await psql(login, ['--command', 'select 1'])).toMatchObject({ stderr: '', code: 0, stdout: '1\n' });
  });
});
