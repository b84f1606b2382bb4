import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { programs } from '@attache/programs';
import { runCommand } from '@attache/test-harness';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listInstalled } from './src/agents-stack.ts';
import { profileOf } from './src/runtimes.ts';

type Report = {
  profile: string;
  version?: string;
  start: { status: string; failure?: object; request?: object };
  abilities: { takes?: Record<string, string> };
  gate: { coversEveryCall: boolean };
  survivesRestart: string;
};

const KEY = 'sk-of-nobody-at-all';
const runtimes = await listInstalled(process.env);
let folder: string;
let end: Awaited<ReturnType<typeof runCommand>>;
let reports: Report[];

/** A loopback address on which nothing listens. */
async function findDeadUrl(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'attache-doctor-'));
  const deadUrl = await findDeadUrl();
  const profiles = runtimes.map((runtime) => [
    runtime.key,
    profileOf(runtime, runtime.installed.program, deadUrl, 'everything'),
  ]);
  const file = join(folder, 'profiles.json');
  await writeFile(file, JSON.stringify({ profiles: Object.fromEntries(profiles) }));
  const environment = {
    ...{ ATTACHE_PROFILES: file, STUB_KEY: KEY, ATTACHE_DATA_DIR: join(folder, 'data') },
    ...{ ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' },
  };
  end = await runCommand(['doctor', '--json'], environment, 170_000);
  reports = JSON.parse(end.stdout).profiles;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe.skipIf(runtimes.length === 0)('attache doctor on real agents (npm run agents installs them)', () => {
  it('ends well, and shows no key', () => {
    expect(end.exitCode, end.stdout).toBe(0);
    expect(end.stdout + end.stderr).not.toContain(KEY);
  });

  it.each(runtimes)('says version, start, first request, gate and restart of $key', ({ key, installed }) => {
    const report = reports.find(({ profile }) => profile === key);
    expect(report).toMatchObject({
      version: expect.stringContaining(installed.version),
      start: { status: 'started', request: { status: 'passed' } },
      abilities: { takes: { image: 'yes', text: 'yes' } },
      gate: { coversEveryCall: programs.find(({ profile }) => profile?.name === key)?.gate.coversEveryCall },
      survivesRestart: 'yes',
    });
  });
});
