import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyTemplateFolder, runCommand } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const USAGE = 2;
const FAILED = 1;

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

  it('the operations port is taken', async () => {
    await expectRefused({ ATTACHE_OPS_PORT: String(takenPort) }, USAGE, `${takenPort} is taken`, 'ATTACHE_OPS_PORT');
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
    await expectRefused({ ATTACHE_DATA_DIR: '/proc/attache' }, USAGE, 'cannot be written', 'ATTACHE_DATA_DIR');
    await expectRefused({ ATTACHE_DATA_DIR: '/sys/kernel' }, USAGE, 'cannot be written', 'ATTACHE_DATA_DIR');
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
      'ATTACHE_PORT',
      'ATTACHE_OPS_PORT',
      'ATTACHE_MAX_UPLOAD_BYTES',
      'ATTACHE_LOG_LEVEL',
      'ATTACHE_PUBLIC_URL',
    );
    expect(said.trim().split('\n').length).toBe(6);
  });

  it('an unknown one is told with the nearest known one [AT-10]', async () => {
    await expectRefused(
      { ATTACHE_DATADIR: '/tmp', ATTACHE_PORT: String(takenPort) },
      USAGE,
      'ATTACHE_DATADIR is not a setting and has no effect. Did you mean ATTACHE_DATA_DIR?',
    );
  });
});

describe('a faulty profiles file', () => {
  async function refuseProfiles(content: string, ...said: string[]): Promise<void> {
    const path = join(folder, 'profiles.json');
    await writeFile(path, content);
    await expectRefused({ ATTACHE_PROFILES: path }, USAGE, path, ...said);
  }
  const refuse = (profile: object, ...said: string[]) =>
    refuseProfiles(JSON.stringify({ profiles: { mine: { runtime: 'acp', command: ['cat'], ...profile } } }), ...said);

  it('is not there', async () => {
    await expectRefused({ ATTACHE_PROFILES: '/no/such/file.json' }, USAGE, '/no/such/file.json', 'cannot be read');
  });

  it('is no JSON', () => refuseProfiles('{', 'cannot be read as JSON'));

  it('has no profiles', () => refuseProfiles('{}', 'profiles'));

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

  it('has an unknown field', () => refuse({ shell: true }, 'profiles.mine', 'shell'));

  it('has a model that is a flag [A28]', () => refuse({ model: '--settings=x' }, 'profiles.mine.model'));

  it('has a secret that is not a reference', () =>
    refuse({ secretEnv: { KEY: 'sk-plain' } }, 'profiles.mine.secretEnv.KEY'));

  it.each([
    ['a runtime without a driver', { runtime: 'claude-stream-json' }, 'claude-stream-json'],
    ['a workspace', { workspace: '/tmp' }, 'workspace'],
    ['a memory limit', { limits: { memoryBytes: 1_000_000 } }, 'limits.memoryBytes'],
    ["a tenant's secret", { secretEnv: { KEY: 'tenant:key' } }, 'tenant:'],
  ])('asks for what is not there: %s', (_, profile, said) => refuse(profile, 'profile mine', said));
});

it('the folder is good after all of this, and a command that does not exist is refused', async () => {
  expect(await runCommand(['begin'], {})).toMatchObject({ exitCode: USAGE, stdout: '' });
  expect((await runCommand(['start', '--port=1'], {})).exitCode).toBe(USAGE);
  expect((await start({ ATTACHE_PORT: String(takenPort) })).exitCode).not.toBe(FAILED);
});
