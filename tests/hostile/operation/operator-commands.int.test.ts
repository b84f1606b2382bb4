import { createHostedDatabase, type HostedDatabase, runCommand } from '@attache/test-harness';
import { afterAll, beforeAll, describe, inject, it } from 'vitest';

const { postgres, minio, missing } = inject('servers');
const why = missing.map((server) => `${server.name}: ${server.why}`).join('; ');

// Each case has commands of its own, most of which wait: side by side.
describe.skipIf(!postgres || !minio).concurrent(`the operator’s commands on a hosted stack ${why}`, () => {
  let database: HostedDatabase;
  let environment: Record<string, string>;
  beforeAll(async () => {
    database = await createHostedDatabase(postgres?.superuserUrl ?? '');
    environment = {
      ATTACHE_S3_ENDPOINT: minio?.endpoint ?? '',
      ATTACHE_S3_BUCKET: `operator-${Date.now()}`,
      ATTACHE_S3_ACCESS_KEY: minio?.accessKey ?? '',
      ATTACHE_S3_SECRET_KEY: minio?.secretKey ?? '',
    };
  });
  afterAll(() => database.drop());

  const attache = (...args: string[]) =>
    runCommand(args, { ...environment, ATTACHE_DATABASE_URL: database.urlOf('operator') });

  it('act on its database, whichever of its services runs', async ({ expect }) => {
    expect(await attache('tenant', 'create', 'acme')).toMatchObject({ exitCode: 0 });
    const [listed, rotated, again, dead] = await Promise.all([
      attache('tenant', 'list'),
      attache('tenant', 'rotate', 'acme', '--json'),
      attache('tenant', 'create', 'acme'),
      attache('dead', 'list', '--json'),
    ]);
    expect(listed.stdout).toMatch(/^acme +active/m);
    expect(JSON.parse(rotated.stdout).keys).toHaveLength(1);
    expect(again.exitCode).toBe(1);
    expect(JSON.parse(dead.stdout).items).toEqual([]);
  });

  it('collect on its store, and say which variables name one', async ({ expect }) => {
    const migrated = await runCommand(['migrate'], { ...environment, ATTACHE_DATABASE_URL: database.ownerUrl });
    expect(migrated.exitCode, migrated.stderr).toBe(0);
    const collected = await attache('gc', '--dry-run', '--json');
    expect(collected.exitCode, collected.stderr).toBe(0);
    expect(JSON.parse(collected.stdout)).toMatchObject({ deleted: 0, condemned: 0 });
    const without = await runCommand(['gc'], { ATTACHE_DATABASE_URL: database.urlOf('operator') });
    expect(without).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('ATTACHE_S3_') });
  });

  it('seal secrets again with the keys of the gateway, and say which variable holds them', async ({ expect }) => {
    const attacheWith = (keys: Record<string, string>) =>
      runCommand(['secret', 'rewrap', '--json'], { ATTACHE_DATABASE_URL: database.urlOf('operator'), ...keys });
    const [key = ''] = (await runCommand(['secret', 'generate-key'], {})).stdout.split('\n');
    const [name = '', value = ''] = key.split('=');
    const [done, without, cut] = await Promise.all([
      attacheWith({ [name]: value }),
      attacheWith({}),
      attacheWith({ [name]: value.slice(0, -1) }),
    ]);
    expect(JSON.parse(done.stdout)).toMatchObject({ kid: value.split(':')[0], rewrappedCount: 0 });
    for (const refused of [without, cut]) {
      expect(refused).toMatchObject({
        exitCode: 2,
        stdout: '',
        stderr: expect.stringContaining('ATTACHE_SECRET_KEYS'),
      });
      expect(refused.stderr).not.toContain(value.slice(-20, -1));
    }
  });

  it('say in one sentence when it is down', async ({ expect }) => {
    const url = new URL(database.urlOf('operator'));
    url.port = '1';
    const down = await runCommand(['tenant', 'list'], { ATTACHE_DATABASE_URL: url.toString() });
    expect(down).toMatchObject({ exitCode: 6, stdout: '' });
    const [stack = '', ...said] = down.stderr.trim().split('\n');
    expect(stack).toBe(`Stack: hosted, database ${url.host}${url.pathname}`);
    expect(said).toHaveLength(1);
    expect(down.stderr).not.toContain(url.password);
  });
});
