import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { sweepOrphans } from '@attache/agent-process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { replica as ownReplica, specOf } from './agent-spec.ts';
import { deliver, isRunning, makeFolder, saidIn, startAgent } from './example-agent.ts';

const gatewayDouble = path.join(import.meta.dirname, 'gateway-double.ts');

/** Processes that carry the marker of `replica`. */
function childrenOf(replica: string): number[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(Number).filter((pid) => environmentOf(pid).includes(`ATTACHE_CHILD_OF=${replica}.`));
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8');
  } catch {
    return '';
  }
}

describe('a gateway that is killed', () => {
  it('takes its agents with it, and the next one removes what had left their group [W16]', async () => {
    const replica = `double-${process.pid}`;
    const gateway = spawn(process.execPath, [gatewayDouble, await makeFolder(), replica], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(async () => {
      gateway.kill('SIGKILL');
      await sweepOrphans({ marker: { replica, incarnation: 'cleanup' }, startedBefore: Date.now() + 1000 });
    });
    const [said] = await once(gateway.stdout, 'data');
    const orphan = Number(/orphan (\d+)/.exec(String(said))?.[1]);
    const before = childrenOf(replica);
    expect(before).toContain(orphan);
    expect(before.length).toBeGreaterThan(1);

    gateway.kill('SIGKILL');
    await expect.poll(() => childrenOf(replica), { interval: 5 }).toEqual([orphan]);

    const swept = await sweepOrphans({ marker: { replica, incarnation: '2' }, startedBefore: Date.now() });
    expect(swept).toEqual({ killedCount: 1, remainingCount: 0 });
    expect(isRunning(orphan)).toBe(false);
  });
});

describe('an agent', () => {
  it('sees the allow-listed environment and nothing of its gateway’s [AT-24]', async () => {
    const { agent, seen } = await startAgent({ env: { MODEL_KEY: 'k' } });
    await deliver(agent, 'example: env-keys');
    const names = /My environment: (.*)\./.exec(saidIn(seen))?.[1]?.split(' ') ?? [];
    expect(names.filter((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))).toEqual([
      'ATTACHE_AGENT_SOCKET',
      'ATTACHE_AGENT_TOKEN',
      'ATTACHE_CHILD_OF',
      'HOME',
      'LANG',
      'MODEL_KEY',
      'PATH',
      'TMPDIR',
    ]);
  });

  it('that ignores SIGTERM is killed, and its turn is cancelled', async () => {
    const { agent } = await startAgent();
    await deliver(agent, 'example: ignore-sigterm');
    const turn = deliver(agent, 'example: hang', { onWritten: async () => void agent.stop({ graceMs: 50 }) });
    expect(await turn).toMatchObject({ status: 'failed', failure: { code: 'delivery_cancelled' } });
    expect(await agent.exited).toMatchObject({ signal: 'SIGKILL' });
  });

  it('that left an orphan holding its pipes still ends', async () => {
    const { agent } = await startAgent({
      command: ['sh', '-c', 'setsid sleep 600 & exec "$@"', 'w', ...specOf('/').command],
    });
    expect(await deliver(agent, 'example: crash')).toMatchObject({ failure: { code: 'delivery_agent_crashed' } });
    expect((await agent.exited).signal).toBe('SIGKILL');
    const marker = { replica: ownReplica, incarnation: 'cleanup' };
    await sweepOrphans({ marker, startedBefore: Date.now() + 1000 });
  });
});
