import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { childMarker } from '@attache/agent-process';
import { whereSandboxed } from '@attache/agent-process/where-sandboxed';
import { afterAll, describe, expect, it } from 'vitest';
import { cli } from '../../../../tests/harness/src/stack/program.ts';
import { readVersion } from './profiles/read-version.ts';

const folder = mkdtempSync(join(tmpdir(), 'attache-doctor-test-'));
const temporary = join(folder, 'tmp');
const bin = join(folder, 'bin');
for (const each of [temporary, bin]) mkdirSync(each);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Speaks as much of the Agent Client Protocol as a start needs, and tells its version and what it can see of its surroundings.
const agent = join(folder, 'fake-agent.mjs');
writeFileSync(
  agent,
  `import { createInterface } from 'node:readline';
if (process.argv.includes('--version')) {
  console.log('\\u001b[1mfake\\u001b[0m 1.2.3', 'OPERATOR_SECRET' in process.env, 'KEY' in process.env);
  process.exit(0);
}
const results = {
  initialize: { protocolVersion: 1, agentCapabilities: { loadSession: true, promptCapabilities: { image: true } } },
  'session/new': { sessionId: 'one' },
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
});
`,
);

function placeProgram(name: string, script: string): string {
  const path = join(bin, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const leftFolders = () => readdirSync(temporary).filter((name) => name.startsWith('attache-'));

type End = { exitCode: unknown; stdout: string; stderr: string };

function runDoctor(environment: Record<string, string>, ...args: string[]): Promise<End> {
  const env = {
    ...{ PATH: '/usr/bin:/bin', TMPDIR: temporary, OPERATOR_SECRET: 'sk-operator' },
    ...{ ATTACHE_DATA_DIR: join(folder, 'data'), ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0', ...environment },
  };
  return new Promise((resolve) => {
    execFile(process.execPath, [cli, 'doctor', ...args], { env }, (error, stdout, stderr) => {
      resolve({ exitCode: error === null ? 0 : error.code, stdout, stderr });
    });
  });
}

function writeProfiles(profiles: object): string {
  const path = join(folder, 'profiles.json');
  writeFileSync(path, JSON.stringify({ profiles }));
  return path;
}

const good = {
  runtime: 'acp',
  command: [process.execPath, agent, '--acp'],
  model: 'my-model',
  secretEnv: { KEY: 'env:OPERATOR_SECRET' },
  capability: { image: true, pdf: false },
  sandbox: { mode: 'none' },
};
const works = await whereSandboxed();

describe('attache doctor on profiles', () => {
  it('says of a good one version, start, abilities, gate, where its key is and restart, and leaves nothing behind', async () => {
    const ATTACHE_PROFILES = writeProfiles({ good });
    const { exitCode, stdout, stderr } = await runDoctor({ ATTACHE_PROFILES }, '--json');
    const { ok, findings, profiles } = JSON.parse(stdout);
    expect([exitCode, ok, stderr]).toEqual([
      ...[0, true],
      `Stack: embedded, data folder ${join(folder, 'data')}\nlooking at the profile good (1 of 1) …\n`,
    ]);
    expect(profiles).toEqual([
      expect.objectContaining({
        ...{ profile: 'good', isNamedInFile: true, programPath: process.execPath, version: 'fake 1.2.3 false false' },
        start: expect.objectContaining({ status: 'started', declared: expect.objectContaining({ image: true }) }),
        abilities: expect.objectContaining({ takes: { image: 'yes', pdf: 'no', text: 'yes', audio: 'no' } }),
        survivesRestart: 'yes',
      }),
    ]);
    expect(profiles[0].gate.coversEveryCall).toBe(false);
    expect(findings.map(({ name }: { name: string }) => name).slice(-7)).toEqual(
      ['program', 'start', 'takes', 'gate', 'sandbox', 'model', 'restart'].map((check) => `good: ${check}`),
    );
    expect(stdout).not.toContain('sk-operator');
    expect(leftFolders()).toEqual([]);
  });

  it('ends with 1 where a program that a file names is not there, or does not start, and continues with the rest', async () => {
    const dying = placeProgram('dying-agent', 'echo "cannot find my key" >&2; exit 7');
    const ATTACHE_PROFILES = writeProfiles({
      gone: { runtime: 'claude-stream-json', command: ['no-such-claude'], model: 'm' },
      dying: { runtime: 'acp', command: [dying], sandbox: { mode: 'none' } },
      good,
    });
    const { exitCode, stdout } = await runDoctor({ ATTACHE_PROFILES });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✗ gone: program +no-such-claude is not there\n +→ Install no-such-claude, or name/m);
    expect(stdout).toMatch(/^✓ dying: program +\S+dying-agent, no version told$/m);
    expect(stdout).toMatch(/^✗ dying: start +delivery_agent_start_failed: .+\n +→ The agent's program did not start/m);
    expect(stdout).toMatch(/^✓ good: start/m);
    expect(leftFolders()).toEqual([]);
  });

  it('ends well where a program was merely found and does not start', async () => {
    placeProgram('gemini', 'exit 3');
    const { exitCode, stdout } = await runDoctor({ PATH: `${bin}:/usr/bin:/bin` });
    expect(stdout).toMatch(/^! gemini: start/m);
    expect(exitCode).toBe(0);
  });

  it('fails where a profile denies tools that nothing switches off, and says what to do; the operator’s word is enough [BX-21]', async () => {
    const strict = { ...good, permissionMode: 'deny' };
    const ATTACHE_PROFILES = writeProfiles({ strict, vouched: { ...strict, ownTools: 'none' } });
    const { exitCode, stdout } = await runDoctor({ ATTACHE_PROFILES }, '--json');
    const { findings, profiles } = JSON.parse(stdout);
    expect(exitCode).toBe(1);
    expect(profiles).toMatchObject([{ start: { status: 'not-tried' } }, { start: { status: 'started' } }]);
    const gateOf = (name: string) => findings.find((each: { name: string }) => each.name === `${name}: gate`);
    expect(gateOf('strict')).toMatchObject({ state: 'failed', fix: expect.stringContaining('"ownTools": "none"') });
    expect(gateOf('vouched')).toMatchObject({ state: 'ok' });
  });

  it('warns where proxies stand before it and no public URL is set, which nobody’s client could reach', async () => {
    const findingOf = async (environment: Record<string, string>) => {
      const { stdout } = await runDoctor({ PATH: '/usr/bin:/bin', ...environment }, '--no-start', '--json');
      return JSON.parse(stdout).findings.find(({ name }: { name: string }) => name === 'public URL');
    };
    expect(await findingOf({})).toMatchObject({ state: 'ok' });
    expect(await findingOf({ ATTACHE_TRUSTED_PROXIES: '1' })).toMatchObject({
      state: 'warning',
      fix: expect.stringContaining('ATTACHE_PUBLIC_URL'),
    });
    expect(await findingOf({ ATTACHE_HOST: '0.0.0.0' })).toMatchObject({ state: 'warning' });
    const set = { ATTACHE_TRUSTED_PROXIES: '1', ATTACHE_PUBLIC_URL: 'https://files.example' };
    expect(await findingOf(set)).toEqual({ name: 'public URL', state: 'ok', detail: 'https://files.example' });
  });

  it('fails where a profile asks for a sandbox that cannot be made, says what to install, and starts nothing [BX-22]', async () => {
    const boxed = { ...good, sandbox: { mode: 'bubblewrap', network: 'none' } };
    const { exitCode, stdout } = await runDoctor(
      { ATTACHE_PROFILES: writeProfiles({ boxed }), PATH: '/nowhere' },
      '--json',
    );
    const { findings, profiles } = JSON.parse(stdout);
    expect({ exitCode, start: profiles[0].start.status }).toEqual({ exitCode: 1, start: 'not-tried' });
    expect(findings.find(({ name }: { name: string }) => name === 'boxed: sandbox')).toMatchObject({
      ...{ state: 'failed', detail: 'no-program', fix: expect.stringContaining('Install the package bubblewrap') },
    });
  });

  it.skipIf(!works)('starts what its agents run in a sandbox in one, and says what they reach [BX-22]', async () => {
    const ATTACHE_PROFILES = writeProfiles({
      boxed: { ...good, sandbox: { network: 'none' } },
      unsaid: { ...good, sandbox: {} },
    });
    const { exitCode, stdout } = await runDoctor({ ATTACHE_PROFILES });
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/^✓ sandbox +agents run in one, by \S+bwrap$/m);
    expect(stdout).toMatch(/^✓ boxed: program +\S+, fake 1\.2\.3 false false$/m);
    expect(stdout).toMatch(/^✓ boxed: start +ready for a prompt after \S+ s, in its sandbox$/m);
    expect(stdout).toMatch(/^✓ boxed: sandbox +its agents see their own folder alone, and reach nobody$/m);
    expect(stdout).toMatch(/^✗ unsaid: sandbox +nothing says what its agents reach\n +→ .+"network"/m);
    expect(leftFolders()).toEqual([]);
  });

  it('says the cause and the remedy where no sandbox works, and starts agents without one [BX-22]', async () => {
    const { sandbox: _sandbox, ...unsaid } = good;
    const { exitCode, stdout } = await runDoctor({ ATTACHE_PROFILES: writeProfiles({ unsaid }), PATH: '/nowhere' });
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^! sandbox +none works here, no-program\n +→ Agents run without a sandbox .+ Install the package/m,
    );
    expect(stdout).toMatch(/^✓ unsaid: start +ready for a prompt after \S+ s$/m);
  });

  it('starts nothing where it is told so', async () => {
    const ATTACHE_PROFILES = writeProfiles({ good });
    const { stdout } = await runDoctor({ ATTACHE_PROFILES }, '--no-start', '--json');
    expect(JSON.parse(stdout).profiles[0]).toMatchObject({
      start: { status: 'not-tried' },
      survivesRestart: 'unknown',
    });
  });
});

it('a program that tells no version in time, or tells too much, is ended', async () => {
  const spec = {
    ...({ agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA', args: [], env: {}, folder: join(folder, 'version') } as const),
    permissionMode: 'gated' as const,
    ...{ socketPath: '', token: '', provider: 'p', model: 'm', modelTakes: {}, lineBytes: 1024, turnMs: 1, startMs: 1 },
    marker: childMarker({ replica: 'test', incarnation: '1' }),
  };
  const context = { inherited: { PATH: '/usr/bin:/bin' }, redact: (text: string) => text };
  const ask = (program: string, timeoutMs: number) => readVersion({ ...spec, command: [program] }, context, timeoutMs);
  expect(await ask(placeProgram('silent', 'exec sleep 60'), 200)).toBeUndefined();
  expect(await ask(placeProgram('talker', 'exec yes "$(printf %0200d 7)"'), 30_000)).toHaveLength(80);
});
