import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { childMarker } from '@attache/agent-process';
import { type Database, listGateways, renewLease, takeReplica } from '@attache/database';
import { createHostedDatabase, type HostedDatabase } from '@attache/database/contract/hosted-database';
import { connectPostgres } from '@attache/database/postgres';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { formatWord } from './guard-words.ts';

const { postgres } = inject('servers');
const program = fileURLToPath(new URL('./main.ts', import.meta.url));

let hosted: HostedDatabase;
let gateway: Database;
let operator: Database;

/** A guard, a gateway's lease and an agent of it. */
async function given() {
  const identity = { replicaId: `gone-${randomUUID().slice(0, 8)}`, incarnation: randomUUID() };
  await takeReplica(gateway, { ...identity, leaseMs: 60_000 });
  const guard = spawn(process.execPath, [program], { env: {}, stdio: ['pipe', 'pipe', 'inherit'] });
  guard.stdin.write(formatWord({ databaseUrl: hosted.urlOf('gateway'), ...identity }));
  await once(guard.stdout, 'data');
  const marker = childMarker({ replica: identity.replicaId, incarnation: identity.incarnation });
  const agent: ChildProcess = spawn('/bin/sleep', ['600'], { env: { ATTACHE_CHILD_OF: marker }, detached: true });
  await once(agent, 'spawn');
  onTestFinished(() => {
    guard.kill('SIGKILL');
    agent.kill('SIGKILL');
  });
  const ended = once(guard, 'exit');
  const leaseMs = async () =>
    (await listGateways(operator)).find(({ replicaId }) => replicaId === identity.replicaId)?.leaseMs;
  return { identity, guard, agent, ended, leaseMs };
}

describe.runIf(postgres)(postgres ? 'a guard whose gateway is gone' : 'a guard: it needs Postgres', () => {
  beforeAll(async () => {
    hosted = await createHostedDatabase(postgres?.superuserUrl ?? '');
    gateway = await connectPostgres({ url: hosted.urlOf('gateway'), poolSize: 1 });
    operator = await connectPostgres({ url: hosted.urlOf('operator'), poolSize: 1 });
  });
  afterAll(async () => {
    await gateway?.close();
    await operator?.close();
    await hosted?.drop();
  });

  it('kills its agents, then ends its lease, so that nobody waits for it [BX-16 W16]', async () => {
    const { guard, agent, ended, leaseMs } = await given();
    const agentEnded = once(agent, 'exit');
    expect(await leaseMs()).toBeGreaterThan(50_000);
    guard.stdin.end();
    expect(await agentEnded).toEqual([null, 'SIGKILL']);
    expect(await ended).toEqual([0, null]);
    expect(await leaseMs()).toBeLessThanOrEqual(0);
  });

  it('ends no lease of a later life under the same name', async () => {
    const { identity, guard, ended, leaseMs } = await given();
    await renewLease(gateway, { ...identity, leaseMs: -1, state: 'gone' });
    await takeReplica(gateway, { replicaId: identity.replicaId, incarnation: randomUUID(), leaseMs: 60_000 });
    guard.stdin.end();
    await ended;
    expect(await leaseMs()).toBeGreaterThan(50_000);
  });

  it('does neither where the gateway ended as it should', async () => {
    const { guard, agent, ended, leaseMs } = await given();
    guard.stdin.end(formatWord({ done: true }));
    expect(await ended).toEqual([0, null]);
    expect(agent.exitCode ?? agent.signalCode).toBeNull();
    expect(await leaseMs()).toBeGreaterThan(50_000);
  });
});
