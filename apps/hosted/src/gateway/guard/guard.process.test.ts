import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { childMarker } from '@attache/agent-process';
import { listDescendants } from '@attache/infra/native/processes/process-table';
import { createLogger } from '@attache/telemetry';
import { afterEach, expect, it, vi } from 'vitest';
import { launchGuard, startGuard } from './start-guard.ts';

const log = createLogger({ service: 'test', level: 'silent' });
const now = () => Number(process.hrtime.bigint()) / 1e6;
// Nobody listens there.
const databaseUrl = 'postgres://attache@127.0.0.1:9/attache';

let children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children) child.kill('SIGKILL');
  children = [];
});

/** A process that a gateway might have started, in a group of its own; what it starts itself has no environment. */
async function startAgent(identity: { replicaId: string; incarnation: string }): Promise<ChildProcess> {
  const marker = childMarker({ replica: identity.replicaId, incarnation: identity.incarnation });
  const child = spawn('/bin/sh', ['-c', 'env -i /bin/sleep 600 & echo $!; wait'], {
    env: { PATH: process.env.PATH, ATTACHE_CHILD_OF: marker },
    detached: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

const newIdentity = () => ({ replicaId: `guard-test-${process.pid}`, incarnation: randomUUID() });

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('kills the agents of its gateway, with their groups, once no renewal of its lease came in time, and those of no other [BX-16]', async () => {
  const identity = newIdentity();
  const guard = await startGuard({ databaseUrl, log }, identity);
  const [agent, foreign] = [await startAgent(identity), await startAgent(newIdentity())];
  const [line] = (await once(agent.stdout as NodeJS.ReadableStream, 'data')) as [Buffer];
  const grandchild = Number(line.toString().trim());
  const ended = once(agent, 'exit');
  guard.renew(now() + 60_000);
  guard.renew(now() + 300);
  expect(await ended).toEqual([null, 'SIGKILL']);
  await expect.poll(() => lives(grandchild)).toBe(false);
  expect(foreign.exitCode ?? foreign.signalCode).toBeNull();
  await guard.stop();
});

it('leaves them alone while renewals come, and when its gateway ends as it should', async () => {
  const [identity, silent] = [newIdentity(), newIdentity()];
  const guard = await startGuard({ databaseUrl, log }, identity);
  const agent = await startAgent(identity);
  for (const lastsMs of [2_000, 60_000]) guard.renew(now() + lastsMs);
  // The gateway of this one says nothing more after the same time.
  const silentGuard = await startGuard({ databaseUrl, log }, silent);
  const ended = once(await startAgent(silent), 'exit');
  silentGuard.renew(now() + 2_000);
  expect(await ended).toEqual([null, 'SIGKILL']);
  await guard.stop();
  await silentGuard.stop();
  expect(agent.exitCode ?? agent.signalCode).toBeNull();
});

/** The guards that this process has started and that live. */
async function listGuards(): Promise<number[]> {
  const found: number[] = [];
  for (const pid of await listDescendants(process.pid)) {
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
    if (command.includes('guard/main.ts')) found.push(pid);
  }
  return found;
}

it('is started again where it is gone, and continues from the last renewal of its lease [BX-16 W16]', async () => {
  const identity = newIdentity();
  const guard = await startGuard({ databaseUrl, log }, identity);
  const agent = await startAgent(identity);
  const ended = once(agent, 'exit');
  const untilMs = now() + 4_000;
  guard.renew(untilMs);
  const [first] = await listGuards();
  if (first === undefined) throw new Error('there is no guard');
  process.kill(first, 'SIGKILL');
  await vi.waitUntil(async () => (await listGuards()).some((pid) => pid !== first), { timeout: 60_000, interval: 50 });
  // Nothing is renewed any more: the new one has heard of the last time.
  expect(await ended).toEqual([null, 'SIGKILL']);
  expect(now()).toBeGreaterThanOrEqual(untilMs);
  await guard.stop();
});

it('refuses a guard that ended before it had its task', async () => {
  const launched = launchGuard();
  const ended = once(launched.child, 'exit');
  launched.child.kill('SIGKILL');
  await ended;
  await expect(startGuard({ databaseUrl, log, launched }, newIdentity())).rejects.toThrow('the guard ended at once');
});
