import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStandaloneConfig } from '@attache/standalone';
import { copyTemplateFolder, runCommand, spawnStack } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const USAGE = 2;

let folder: string;
let dataDir: string;
let blocker: Server;
let takenPort: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-hostile-'));
  dataDir = await copyTemplateFolder();
  blocker = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => blocker.once('listening', resolve));
  const address = blocker.address();
  takenPort = typeof address === 'object' ? (address?.port ?? 0) : 0;
});
afterAll(async () => {
  blocker.close();
  await rm(folder, { recursive: true, force: true });
  await rm(dataDir, { recursive: true, force: true });
});

const start = (environment: Record<string, string>) =>
  runCommand(['start'], { ATTACHE_DATA_DIR: dataDir, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0', ...environment });

/** A sentence that names the setting, no stack, nothing on standard output, and a code that says whose fault it is. */
async function expectRefused(
  environment: Record<string, string>,
  exitCode: number,
  ...said: string[]
): Promise<string> {
  const ended = await start(environment);
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  for (const text of said) expect(ended.stderr).toContain(text);
  expect(ended.stdout).toBe('');
  expect(ended.exitCode, ended.stderr).toBe(exitCode);
  return ended.stderr;
}

describe('a start that cannot work ends at once, with a sentence that says what to do', () => {
  it('the port is taken', async () => {
    await expectRefused(
      { ATTACHE_PORT: String(takenPort) },
      USAGE,
      `The port ${takenPort} on 127.0.0.1 is taken`,
      'ATTACHE_PORT',
    );
  });

  it('either port is taken, before a database is made', async () => {
    const empty = join(folder, 'not-begun');
    for (const setting of ['ATTACHE_PORT', 'ATTACHE_OPS_PORT']) {
      await expectRefused(
        { ATTACHE_DATA_DIR: empty, [setting]: String(takenPort) },
        USAGE,
        `${takenPort} on 127.0.0.1 is taken`,
        setting,
      );
      expect(await readdir(join(empty, 'database')).catch(() => [])).toEqual([]);
    }
  });

  it('both ports are the same', async () => {
    const [port] = [takenPort + 1 > 65_535 ? takenPort - 1 : takenPort + 1];
    await expectRefused({ ATTACHE_PORT: String(port), ATTACHE_OPS_PORT: String(port) }, USAGE, 'is taken');
  });

  it('an address that is not of this machine', async () => {
    await expectRefused({ ATTACHE_HOST: '192.0.2.1' }, USAGE, 'ATTACHE_');
  });

  it('the data folder lies below a file', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    await expectRefused(
      { ATTACHE_DATA_DIR: join(file, 'data') },
      USAGE,
      'cannot be written (ENOTDIR)',
      'ATTACHE_DATA_DIR',
    );
  });

  it('the data folder is where nobody may write', async () => {
    await expectRefused({ ATTACHE_DATA_DIR: '/proc/attache/data' }, USAGE, 'cannot be written', 'ATTACHE_DATA_DIR');
  });

  it('the signing keys are gone bad', async () => {
    const spoiled = await copyTemplateFolder();
    try {
      await writeFile(join(spoiled, 'signing-keys'), 'no keys at all');
      await expectRefused({ ATTACHE_DATA_DIR: spoiled }, USAGE, 'holds no signing key');
    } finally {
      await rm(spoiled, { recursive: true, force: true });
    }
  });
});

describe('faulty settings', () => {
  it('are all named at once, each with its variable [AT-10]', async () => {
    const said = await expectRefused(
      {
        ATTACHE_PORT: '70000',
        ATTACHE_OPS_PORT: 'http',
        ATTACHE_MAX_UPLOAD_BYTES: '25MB',
        ATTACHE_LOG_LEVEL: 'loud',
        ATTACHE_PUBLIC_URL: 'ftp://files',
      },
      USAGE,
    );
    const named = said.split('\n').flatMap((line) => /^ {2}- (ATTACHE_\w+) /.exec(line)?.[1] ?? []);
    expect(named.toSorted()).toEqual([
      'ATTACHE_LOG_LEVEL',
      'ATTACHE_MAX_UPLOAD_BYTES',
      'ATTACHE_OPS_PORT',
      'ATTACHE_PORT',
      'ATTACHE_PUBLIC_URL',
    ]);
  });

  it('an unknown one is told with the nearest known one', async () => {
    const told = 'ATTACHE_DATADIR is not a setting and has no effect. Did you mean ATTACHE_DATA_DIR?';
    await expectRefused({ ATTACHE_DATADIR: '/tmp', ATTACHE_PORT: String(takenPort) }, USAGE, told);
  });
});

describe('a faulty profiles file', () => {
  const path = () => join(folder, 'profiles.json');

  async function refuseProfiles(content: string, ...said: string[]): Promise<void> {
    await writeFile(path(), content);
    const read = () => readStandaloneConfig({ PATH: '/bin', ATTACHE_PROFILES: path() });
    for (const text of [path(), ...said]) expect(read).toThrow(text);
  }
  const refuse = (profile: object, ...said: string[]) =>
    refuseProfiles(JSON.stringify({ profiles: { mine: { runtime: 'acp', command: ['cat'], ...profile } } }), ...said);

  it('ends the start', async () => {
    await expectRefused({ ATTACHE_PROFILES: '/no/such/file.json' }, USAGE, '/no/such/file.json', 'cannot be read');
  });

  it('that is no JSON', () => refuseProfiles('{', 'cannot be read as JSON'));

  it('without profiles', () => refuseProfiles('{}', 'profiles'));

  it('names all faults at once', () =>
    refuseProfiles(
      JSON.stringify({
        profiles: {
          'no name': { runtime: 'acp', command: ['cat'] },
          one: { runtime: 'acp', command: 'cat --flag' },
          two: { runtime: 'telepathy', command: [] },
        },
      }),
      'profiles.one.command',
      'profiles.two.runtime',
      'profiles.two.command',
      'no name',
    ));

  it.each([
    ['a field that does not exist', { shell: true }, 'shell'],
    ['a model that is a flag', { model: '--settings=x' }, 'profiles.mine.model'],
    ['a secret that is no reference', { secretEnv: { KEY: 'sk-plain' } }, 'profiles.mine.secretEnv.KEY'],
    ['a line of one byte', { limits: { lineBytes: 1 } }, 'profiles.mine.limits.lineBytes'],
    ['an empty command', { command: [''] }, 'profiles.mine.command.0'],
    ['a runtime without a driver', { runtime: 'opencode-run' }, 'profile mine: runtime opencode-run'],
    ['a workspace', { workspace: '/tmp' }, 'profile mine: workspace'],
    [
      'an endpoint of no API',
      { endpoint: { api: 'telnet', baseUrl: 'http://127.0.0.1/' } },
      'profiles.mine.endpoint.api',
    ],
    ['a permission mode that is none', { permissionMode: 'bypass' }, 'profile mine: permissionMode bypass'],
    ['no memory at all', { limits: { memoryBytes: 0 } }, 'profiles.mine.limits.memoryBytes'],
    ["a tenant's secret", { secretEnv: { KEY: 'tenant:key' } }, 'is taken in endpoint.apiKey only'],
    ['a secret that is not there', { secretEnv: { KEY: 'env:NO_SUCH_KEY' } }, 'secretEnv.KEY names env:NO_SUCH_KEY'],
  ])('with %s', (_, profile, said) => refuse(profile, said));
});

it('a command or a flag that does not exist is refused', async () => {
  expect(await runCommand(['begin'], {})).toMatchObject({ exitCode: USAGE, stdout: '' });
  expect((await runCommand(['start', '--port=1'], {})).exitCode).toBe(USAGE);
});

it('a start without a public URL warns once when requests come through a proxy, and says what to do', async () => {
  const own = await copyTemplateFolder();
  const stack = await spawnStack(own, {});
  try {
    const ask = (headers: Record<string, string>) => stack.api.call('GET', '/keys', { headers });
    expect((await ask({})).status).toBe(200);
    expect(stack.log()).not.toContain('public_url.unset');
    for (const host of ['files.example', 'other.example']) await ask({ 'x-forwarded-host': host });
    await expect.poll(stack.log).toContain('public_url.unset');
    const lines = stack
      .log()
      .split('\n')
      .filter((line) => line.includes('public_url.unset'));
    expect(lines).toEqual([expect.stringContaining('set it to the address that clients use')]);
    expect(stack.log()).not.toContain('files.example');
  } finally {
    await stack.end('SIGTERM');
    await rm(own, { recursive: true, force: true });
  }
});
