import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { givenSpec } from '../__fixtures__/given-spec.ts';
import type { AgentSpec } from '../driver.ts';
import { prepareSettings } from '../settings/prepare-settings.ts';
import { type SpawnedAgent, spawnAgent } from '../spawn-agent.ts';
import { terminateAgent } from '../terminate-agent.ts';

let root: string;
let started: SpawnedAgent[];
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'attache-sandbox-'));
  started = [];
});
afterEach(async () => {
  for (const child of started) child.signalGroup('SIGKILL');
  await Promise.all(started.map((child) => child.exited));
  await rm(root, { recursive: true });
});

const context = {
  inherited: { PATH: process.env.PATH ?? '/usr/bin:/bin' },
  redact: (each: string) => each.replaceAll('secret', '***'),
};

function specOf(command: string[], rest: Partial<AgentSpec> = {}): AgentSpec {
  return givenSpec({
    command,
    folder: path.join(root, 'agent'),
    socketPath: '',
    token: `ata_${randomUUID()}`,
    marker: 'test.1',
    sandbox: { readOnly: [], privateFolders: [] },
    ...rest,
  });
}

async function spawnPrepared(spec: AgentSpec) {
  const settings = { defaults: {}, env: {}, args: [], files: [], homeFolder: '/agent/home' };
  await prepareSettings(spec, () => settings, context.redact);
  return await spawnAgent(spec, settings, context);
}

async function start(command: string[], rest: Partial<AgentSpec> = {}): Promise<SpawnedAgent> {
  const outcome = await spawnPrepared(specOf(command, rest));
  if (outcome.status === 'failed') throw new Error(outcome.failure.diagnostic);
  started.push(outcome.child);
  return outcome.child;
}

const firstOutput = async (child: SpawnedAgent) => String((await child.stdout[Symbol.asyncIterator]().next()).value);

describe('a sandboxed agent', () => {
  it('hands arguments over as they are, whatever a shell would make of them [S26]', async () => {
    const values = ['$HOME', '`id`', '; echo x', '--settings=x', "it's", '', '*', '--'];
    const child = await start(['printf', '%s|', ...values]);
    expect(await text(child.stdout)).toBe(`${values.join('|')}|`);
  });

  it('has the environment that it is given and no other, with its folder where it sees it [BX-22 S26 AT-24]', async () => {
    const child = await start(['sh', '-c', 'env; cat'], { env: { MODEL_KEY: 'k' } });
    const said = text(child.stdout);
    child.stdin.end();
    const lines = (await said).split('\n').filter((line) => !/^(PATH|PWD|ATTACHE_AGENT_TOKEN)=/.test(line));
    expect(lines.filter(Boolean).sort()).toEqual([
      'ATTACHE_AGENT_SOCKET=/run/attache/agent.sock',
      'ATTACHE_CHILD_OF=test.1',
      'HOME=/agent/home',
      'MODEL_KEY=k',
      'TMPDIR=/agent/tmp',
    ]);
  });
  it('tells exit code and redacted standard error [DL-82]', async () => {
    const child = await start(['sh', '-c', 'echo a secret >&2; exit 7']);
    expect(await child.exited).toEqual({ exitCode: 7, signal: null, diagnostic: 'a ***' });
  });

  it('is asked to end by SIGTERM, and says how it did [BX-22]', async () => {
    const obedient = await start(['sh', '-c', 'trap "exit 7" TERM; echo ready; while :; do sleep 0.05; done']);
    await firstOutput(obedient);
    await terminateAgent(obedient, { graceMs: 10_000 });
    expect(await obedient.exited).toMatchObject({ exitCode: 7, signal: null });
    const plain = await start(['sleep', '600']);
    await terminateAgent(plain, { graceMs: 10_000 });
    expect(await plain.exited).toMatchObject({ exitCode: null, signal: 'SIGTERM' });
  });
});
