import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findPostgresPrograms, startPostgres } from './start-postgres.ts';

const programs = await findPostgresPrograms(process.env.PATH ?? '');
const title = programs ? 'startPostgres' : 'Postgres 15+ binaries not found on PATH or /usr/lib/postgresql';

const PROGRAM = `
  import { startPostgres } from ${JSON.stringify(fileURLToPath(new URL('start-postgres.ts', import.meta.url)))};
  const server = await startPostgres({ programs: process.argv[1], settings: { fsync: 'off' } });
  process.stdout.write(server.superuserUrl);
`;

function isListening(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** A folder that every account may enter, for one test. */
async function makeTempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'attache-native-'));
  await chmod(folder, 0o711);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true, force: true });
  });
  return folder;
}

describe.skipIf(programs === undefined)(title, () => {
  it('serves until it is stopped, and leaves no folder behind', async () => {
    const folder = await makeTempFolder();
    vi.stubEnv('TMPDIR', folder);
    const server = await startPostgres({ programs: programs ?? '', settings: { fsync: 'off' } });
    expect(await isListening(server.superuserUrl)).toBe(true);
    await server.stop();
    expect(await isListening(server.superuserUrl)).toBe(false);
    expect(await readdir(folder)).toEqual([]);
  });

  it('says what the server said when it does not start', async () => {
    const failing = startPostgres({ programs: programs ?? '', settings: { shared_buffers: 'plenty' } });
    await expect(failing).rejects.toThrow('invalid value for parameter "shared_buffers"');
  });

  it('ends with the process that started it, even when that is killed', async () => {
    // A killed process cannot remove its folder: it makes it inside this one.
    const folder = await makeTempFolder();
    const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM, programs ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { TMPDIR: folder },
    });
    try {
      const url = String(await once(child.stdout, 'data'));
      expect(await isListening(url)).toBe(true);
      child.kill('SIGKILL');
      await vi.waitUntil(async () => !(await isListening(url)), { timeout: 60_000, interval: 20 });
    } finally {
      child.kill('SIGKILL');
    }
  });
});
