import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTemplateFolder, createApi, runCommand, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

let dataDir: string;
beforeAll(async () => {
  dataDir = await copyTemplateFolder();
});
afterAll(() => rm(dataDir, { recursive: true, force: true }));

const attache = (...args: string[]) => runCommand(args, { ATTACHE_DATA_DIR: dataDir });
const attacheJson = async (...args: string[]) => {
  const { stdout, stderr, exitCode } = await attache(...args, '--json');
  expect(exitCode, stderr).toBe(0);
  return JSON.parse(stdout);
};

describe('on a stack that does not run', () => {
  it('commands act on the data folder: tables for people, talk beside them, the secret once', async () => {
    const made = await attache('tenant', 'create', 'acme');
    expect([made.exitCode, made.stderr]).toEqual([0, expect.stringContaining('shown this once')]);
    const [, secret = ''] = /(atk_\S+)/.exec(made.stdout) ?? [];
    expect(secret).not.toBe('');
    const keys = await attache('key', 'list', 'acme');
    expect(keys).toMatchObject({
      exitCode: 0,
      stderr: `Stack: embedded, data folder ${dataDir}\n`,
      stdout: expect.stringMatching(/^ID +NAME +STATUS/),
    });
    expect(keys.stdout).toContain('first key');
    expect(keys.stdout).not.toContain(secret.slice(-51));
    expect(keys.stdout).not.toContain('\u001b');
    expect(await attacheJson('gc', '--dry-run')).toMatchObject({ deleted: 0 });
  });

  it('where there is none at all, that is said, and none is made', async () => {
    const empty = await mkdtemp(join(tmpdir(), 'attache-empty-'));
    const ended = await runCommand(['tenant', 'list'], { ATTACHE_DATA_DIR: join(empty, 'x') });
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('There is no stack in') });
    expect(await stat(join(empty, 'x')).catch(() => undefined)).toBeUndefined();
    await rm(empty, { recursive: true });
  });

  it('a fresh key for the settings is printed without any stack', async () => {
    const { stdout, exitCode } = await runCommand(['key', 'generate'], {});
    expect([exitCode, stdout]).toEqual([0, expect.stringMatching(/^atk_\S+\n$/)]);
  });

  it('so is a pair of keys for secrets, another one each time', async () => {
    const [one, two] = await Promise.all([1, 2].map(() => runCommand(['secret', 'generate-key'], {})));
    const pair = /^ATTACHE_SECRET_KEYS=(\w+):\S{43}\nATTACHE_SECRET_PUBLIC_KEY=\1:\S{43}\n$/;
    expect([one?.exitCode, one?.stdout]).toEqual([0, expect.stringMatching(pair)]);
    expect(two?.stdout).not.toBe(one?.stdout);
  });

  it('secrets are sealed again with the keys of its folder', async () => {
    expect(await attacheJson('secret', 'rewrap')).toMatchObject({ rewrappedCount: 0, missingKeys: {} });
    const [kid] = (await readFile(join(dataDir, 'secret-keys'), 'utf8')).split(':');
    const { stdout } = await runCommand(['secret', 'rewrap'], { ATTACHE_DATA_DIR: dataDir });
    expect(stdout).toMatch(new RegExp(`^KEY +REWRAPPED .+\n${kid} +0 +0 +0 +0\n$`));
    expect((await stat(join(dataDir, 'secret-keys'))).mode & 0o777).toBe(0o600);
  });
});

describe('on a running stack', () => {
  let running: SpawnedStack;
  beforeAll(async () => {
    running = await spawnStack(dataDir);
  });
  afterAll(() => running.end('SIGTERM'));

  it('the same commands act through its socket, at once [S31]', async () => {
    const { secret } = await attacheJson('tenant', 'create', 'live');
    const api = createApi(running.url, secret);
    expect((await api.call('GET', '/keys')).status).toBe(200);
    expect((await attache('tenant', 'revoke', 'live')).exitCode).toBe(0);
    expect((await api.call('GET', '/keys')).status).toBe(401);
    const restored = await attache('tenant', 'restore', 'live');
    expect(restored).toMatchObject({ exitCode: 0, stdout: expect.stringMatching(/^live +active/m) });
    expect((await api.call('GET', '/keys')).status).toBe(200);
    const { keys } = await attacheJson('tenant', 'rotate', 'live', '--overlap-seconds', '0');
    expect((await api.call('GET', '/keys')).status).toBe(401);
    expect((await api.call('GET', '/keys', { credential: keys[0].secret })).status).toBe(200);
  });

  it('and print the whole answer for programs', async () => {
    const { tenant } = await attacheJson(
      'tenant',
      'set',
      'acme',
      '--max-upload-bytes',
      '1000',
      '--quota-bytes',
      '5000',
      '--tokens-per-day',
      '700',
    );
    expect(tenant).toMatchObject({ name: 'acme', maxUploadBytes: 1000, quotaBytes: 5000, tokensPerDay: 700 });
    const none = ['--quota-bytes', 'none', '--tokens-per-day', 'none'];
    const cleared = await attacheJson('tenant', 'set', 'acme', ...none);
    expect(cleared.tenant).toMatchObject({ maxUploadBytes: 1000 });
    expect(cleared.tenant).not.toHaveProperty('quotaBytes');
    expect(cleared.tenant).not.toHaveProperty('tokensPerDay');
    const { key } = await attacheJson('key', 'create', 'acme', 'ci', '--scopes', 'read,attachments');
    expect(key.scopes).toEqual(['read', 'attachments']);
    const rotated = await attacheJson('key', 'rotate', 'acme', key.id, '--overlap-seconds', '60');
    expect(rotated.key.rotatedFrom).toBe(key.id);
    expect((await attacheJson('key', 'revoke', 'acme', rotated.key.id)).key.status).toBe('revoked');
    const { items } = await attacheJson('tenant', 'list', '--limit', '1');
    expect(items).toHaveLength(1);
    expect(await attacheJson('dead', 'list')).toEqual({ items: [], nextCursor: null });
    expect(await attacheJson('gc', '--dry-run')).toMatchObject({ deleted: 0 });
  });

  it('what is seen against the catalog is said, listed and taken back [DL-58]', async () => {
    const row = ['acp', '--program', 'opencode', '--kind', 'image'];
    const reason = 'it leaves pictures out';
    const said = await attache('capability', 'contradict', ...row, '--program-version', '1.18.33', '--reason', reason);
    expect(said).toMatchObject({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^ROW +KIND +VERSION .*\nacp opencode +image +1\.18\.33 +all tenants .* it leaves pictures out/,
      ),
      stderr: expect.stringContaining('until an agent starts with another version'),
    });
    const contradiction = {
      row: 'acp opencode',
      kind: 'image',
      programVersion: '1.18.33',
      note: reason,
      isForAll: true,
    };
    const { items } = await attacheJson('capability', 'list', '--tenant', 'acme');
    expect(items).toMatchObject([contradiction]);
    expect(await attacheJson('capability', 'list')).toEqual({ items });
    const ofTenant = await attache('capability', 'restore', ...row, '--tenant', 'acme');
    expect(ofTenant).toMatchObject({ exitCode: 0, stderr: expect.stringContaining('Nothing was said against it.') });
    expect(await attacheJson('capability', 'restore', ...row)).toEqual({ restored: items, forgottenCount: 0 });
    expect(await attacheJson('capability', 'list')).toEqual({ items: [] });
  });

  const ofNobody = ['capability', 'restore', 'acp', '--program', 'nobody', '--kind', 'image'];
  const unknownKey = 'key_AAAAAAAAAAAAAAAAAAAAAA';
  const unknownLetter = ['ten_AAAAAAAAAAAAAAAAAAAAAA', '00000000-0000-4000-8000-000000000000', 'projector'];
  it.each([
    ['wrong usage', ['tenant'], 2],
    ['a missing name', ['tenant', 'create'], 2],
    ['an unknown command', ['tenant', 'destroy', 'acme'], 2],
    ['a limit that is none', ['tenant', 'set', 'acme', '--quota-bytes', 'much'], 2],
    ['fewer tokens than none', ['tenant', 'set', 'acme', '--tokens-per-day', '-1'], 2],
    ['no limit to set', ['tenant', 'set', 'acme'], 2],
    ['a name with blanks', ['tenant', 'create', 'a b'], 2],
    ['an unknown scope', ['key', 'create', 'acme', 'x', '--scopes', 'root'], 2],
    ['a row that there is not', ofNobody, 2],
    ['a kind that there is not', ['capability', 'restore', 'acp', '--kind', 'smell'], 2],
    [
      'a contradiction without a reason',
      ['capability', 'contradict', 'acp', '--kind', 'image', '--program-version', '1'],
      2,
    ],
    ['a row of an unknown tenant', ['capability', 'restore', 'acp', '--kind', 'image', '--tenant', 'nobody'], 3],
    ['a tenant twice', ['tenant', 'create', 'acme'], 1],
    ['an unknown tenant', ['key', 'list', 'nobody'], 3],
    ['an unknown key', ['key', 'revoke', 'acme', unknownKey], 3],
    ['an unknown dead letter', ['dead', 'replay', ...unknownLetter], 3],
  ])('%s ends with its exit code and a sentence, nothing on standard output', async (_, args, exitCode) => {
    const ended = await attache(...args);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr).not.toBe('');
    expect(ended.stderr).not.toMatch(/\n\s+at /);
  });
});
