import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AgentSpec } from './driver.ts';
import { prepareSettings } from './settings/prepare-settings.ts';
import { type SpawnedAgent, spawnAgent } from './spawn-agent.ts';
import { terminateAgent } from './terminate-agent.ts';

let root: string;
let started: SpawnedAgent[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-spawn-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) child.signalGroup('SIGKILL');
  await Promise.all(started.map((child) => child.exited));
  await rm(root, { recursive: true });
});

const context = { inherited: { PATH: '/usr/bin:/bin' }, redact: (each: string) => each.replaceAll('secret', '***') };

function specOf(command: string[], env: Record<string, string> = {}): AgentSpec {
  return {
    agentId: 'agt_AAAAAAAAAAAAAAAAAAAAAA',
    command,
    args: [],
    env,
    folder: path.join(root, 'agent'),
    socketPath: '/tmp/none',
    // The end of a child ends whatever has its token, also in another run of these tests.
    token: `ata_${randomUUID()}`,
    provider: 'none',
    model: 'default',
    modelTakes: {},
    permissionMode: 'gated',
    lineBytes: 1000,
    turnMs: 1000,
    startMs: 1000,
    marker: 'test.1',
  };
}

function settingsOf({ folder }: AgentSpec) {
  return { defaults: {}, env: {}, args: [], files: [], homeFolder: path.join(folder, 'home') };
}

async function spawnPrepared(spec: AgentSpec) {
  await prepareSettings(spec, () => settingsOf(spec), context.redact);
  return await spawnAgent(spec, settingsOf(spec), context);
}

async function start(command: string[], env?: Record<string, string>): Promise<SpawnedAgent> {
  const outcome = await spawnPrepared(specOf(command, env));
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  started.push(outcome.child);
  return outcome.child;
}

describe('spawnAgent', () => {
  it('hands arguments over as they are, whatever a shell would make of them [S26]', async () => {
    const values = ['$HOME', '`id`', '; echo x', '--settings=x', "it's", '', '*'];
    const child = await start(['printf', '%s|', ...values]);
    expect(await text(child.stdout)).toBe(`${values.join('|')}|`);
  });

  it('gives the child only the allow-listed environment [S26 AT-24]', async () => {
    const child = await start(['env'], { MODEL_KEY: 'k' });
    const names = (await text(child.stdout)).split('\n').flatMap((line) => line.split('=')[0] || []);
    // The shell of the wrapper adds PWD and its like.
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name)).sort()).toEqual([
      'ATTACHE_AGENT_SOCKET',
      'ATTACHE_AGENT_TOKEN',
      'ATTACHE_CHILD_OF',
      'HOME',
      'MODEL_KEY',
      'PATH',
      'TMPDIR',
    ]);
  });

  it('runs the child in a folder of its own that nobody else may enter [DL-78]', async () => {
    const child = await start(['pwd']);
    expect((await text(child.stdout)).trim()).toBe(path.join(root, 'agent', 'work'));
    expect((await stat(path.join(root, 'agent'))).mode & 0o777).toBe(0o700);
    expect((await stat(path.join(root, 'agent', 'tmp'))).mode & 0o777).toBe(0o700);
  });

  it('tells exit code and redacted standard error [DL-82]', async () => {
    const child = await start(['sh', '-c', 'echo a secret >&2; exit 7']);
    expect(await child.exited).toEqual({ exitCode: 7, signal: null, diagnostic: 'a ***' });
  });

  it('takes what is left of the group with it when the child ends', async () => {
    const child = await start(['sh', '-c', 'sleep 600 >/dev/null 2>&1 & echo $!']);
    const pid = Number(await text(child.stdout));
    await child.exited;
    await expect.poll(() => isRunning(pid)).toBe(false);
  });

  it('keeps the watchdog of a child that ignores SIGTERM', async () => {
    const child = await start(['sh', '-c', 'sleep 600 & echo $!; trap "" TERM; exec sleep 600']);
    const pid = Number(String((await child.stdout[Symbol.asyncIterator]().next()).value));
    await expect.poll(() => commandOf(child.pid)).toBe('sleep');
    child.signalGroup('SIGTERM');
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(groupOf(child.pid).map(commandOf).sort()).toEqual(['sh', 'sleep']);
  });

  it('counts as started once a signal ends the child and not its watchdog', async () => {
    const atOnce = Array.from({ length: 40 }, async () => {
      const child = await start(['sleep', '600']);
      return groupOf(child.pid).map(ignoresSigterm).sort();
    });
    for (const ignores of await Promise.all(atOnce)) expect(ignores).toEqual([false, true]);
  });

  it('fails as a value where the program is missing or cannot be run', async () => {
    for (const command of [['no-such-agent'], ['/etc/passwd'], [], ['sh', 'a\0b']]) {
      const outcome = await spawnPrepared(specOf(command));
      expect(outcome).toMatchObject({
        status: 'failed',
        failure: { code: 'delivery_agent_start_failed', retryable: true },
      });
    }
  });
});

describe('terminateAgent', () => {
  it('ends a child that obeys SIGTERM', async () => {
    const child = await start(['sleep', '600']);
    await terminateAgent(child, { graceMs: 60_000 });
    expect((await child.exited).signal).toBe('SIGTERM');
    child.signalGroup('SIGKILL');
  });

  it('kills a child and its group that do not', async () => {
    const child = await start(['sh', '-c', 'trap "" TERM; sleep 600 & echo $!; wait']);
    const pid = Number(String((await child.stdout[Symbol.asyncIterator]().next()).value));
    await terminateAgent(child, { graceMs: 20 });
    expect((await child.exited).signal).toBe('SIGKILL');
    await expect.poll(() => isRunning(pid)).toBe(false);
  });
});

/** A process that has ended but was not yet collected by its parent does not run. */
function isRunning(pid: number): boolean {
  return !/^[XZ]?$/.test(statOf(pid).state);
}

function commandOf(pid: number): string {
  return statOf(pid).command;
}

function ignoresSigterm(pid: number): boolean {
  const ignored = /^SigIgn:\s*(\w+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
  return ((BigInt(`0x${ignored}`) >> BigInt(constants.signals.SIGTERM - 1)) & 1n) === 1n;
}

function groupOf(leader: number): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => statOf(pid).group === leader && isRunning(pid));
}

function statOf(pid: number): { command: string; state: string; group: number } {
  try {
    const [, command = '', state = '', , group] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/[ ()]+/);
    return { command, state, group: Number(group) };
  } catch {
    return { command: '', state: '', group: 0 };
  }
}
