import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Api,
  copyTemplateFolder,
  listTemporaryFiles,
  readStoredState,
  runCommand,
  type SpawnedStack,
  shortLimits,
  spawnStack,
} from '@attache/test-harness';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isRunning, listDescendants } from './processes.ts';

/** The time that Kubernetes gives a process before it kills it, unless configured otherwise. */
const SUPERVISOR_MS = 30_000;

// The long tests wait for as long as a stop really takes.
const { drainMs } = shortLimits;
const limits = process.env.ATTACHE_TEST_AMOUNT === 'few' ? { drainMs } : undefined;

let dataDir: string;
const stacks: SpawnedStack[] = [];

beforeEach(async () => {
  dataDir = await copyTemplateFolder();
});
afterEach(async () => {
  for (const stack of stacks.splice(0)) await stack.end('SIGKILL');
  await rm(dataDir, { recursive: true, force: true });
});

async function start(given?: typeof limits): Promise<SpawnedStack> {
  const stack = await spawnStack(dataDir, {}, { limits: given });
  stacks.push(stack);
  return stack;
}

async function startTurn(api: Api, text: string) {
  const { session, agent } = await api.createSession();
  const { deliveries } = await api.send(session.id, { to: [agent.id], text });
  const { id } = deliveries[0];
  await api.reached(id, 'written');
  return { session, agent, deliveryId: id };
}

async function countRecorded(agentId: string, deliveryId: string): Promise<number> {
  const record = await readFile(join(dataDir, 'agents', agentId, 'home', 'deliveries.jsonl'), 'utf8').catch(() => '');
  return record.split('\n').filter((line) => line.includes(deliveryId)).length;
}

async function listLeft(children: Awaited<ReturnType<typeof listDescendants>>) {
  const running = await Promise.all(children.map(isRunning));
  return children.filter((_, index) => running[index]);
}

it('refuses a second process on a living folder, by name, and takes the folder over after SIGKILL', async () => {
  const first = await start();
  const second = await runCommand(['start'], { ATTACHE_DATA_DIR: dataDir, ATTACHE_PORT: '0', ATTACHE_OPS_PORT: '0' });
  expect(second.exitCode).toBe(1);
  expect(second.stderr).toContain(`The data folder ${dataDir} is used by the running process ${first.process.pid}.`);
  expect(second.stdout).toBe('');
  const { session } = await first.api.createSession();

  await first.end('SIGKILL');
  expect(JSON.parse(await readFile(join(dataDir, 'lock'), 'utf8')).pid).toBe(first.process.pid);
  const next = await start();
  expect(JSON.parse(await readFile(join(dataDir, 'lock'), 'utf8')).pid).toBe(next.process.pid);
  expect((await next.api.call('GET', `/sessions/${session.id}`)).status).toBe(200);
});

it('lets a turn end that is about to when SIGTERM comes', async () => {
  const first = await start();
  const { agent, deliveryId } = await startTurn(first.api, 'example: slow 1500');
  expect(await first.end('SIGTERM')).toBe(0);

  const next = await start();
  expect(await next.api.settled(deliveryId)).toMatchObject({ status: 'responded', attempts: 1 });
  expect(await countRecorded(agent.id, deliveryId)).toBe(1);
});

it('stops within its time when a turn does not end, and says that its outcome is unknown [W16 DL-61]', async () => {
  const first = await start(limits);
  const { session, agent, deliveryId } = await startTurn(first.api, 'example: hang\nexample: ignore-sigterm');
  const children = await listDescendants(first.process.pid ?? 0);
  expect(children.length).toBeGreaterThan(0);
  const stoppedAt = Date.now();
  expect(await first.end('SIGTERM')).toBe(0);
  expect(Date.now() - stoppedAt).toBeLessThan(SUPERVISOR_MS);
  expect(await listLeft(children)).toEqual([]);

  const next = await start();
  const delivery = await next.api.settled(deliveryId);
  expect(delivery).toMatchObject({ status: 'failed', failure: { code: 'delivery_outcome_unknown', retryable: true } });
  const again = await next.api.send(session.id, { to: [agent.id], text: 'and now?' });
  expect(await next.api.settled(again.deliveries[0].id)).toMatchObject({ status: 'responded' });
  expect(await countRecorded(agent.id, deliveryId)).toBe(1);
  expect(await next.end('SIGTERM')).toBe(0);
  expect(await listTemporaryFiles(dataDir)).toEqual([]);
  expect(await readStoredState(dataDir)).toMatchObject({ deadLetters: [], reservedBytes: 0 });
});

it('keeps what was accepted when SIGTERM comes, and delivers none of it twice [DL-61]', async () => {
  const first = await start();
  const { session, agent } = await first.api.createSession();
  const sent = await Promise.all(
    ['a', 'b', 'c'].map((text) => first.api.send(session.id, { to: [agent.id], text: `${text}\nexample: slow 300` })),
  );
  expect(await first.end('SIGTERM')).toBe(0);

  const next = await start();
  for (const { deliveries } of sent) {
    const delivery = await next.api.settled(deliveries[0].id);
    const isUnknown = delivery.failure?.code === 'delivery_outcome_unknown';
    expect(delivery.status).toBe(isUnknown ? 'failed' : 'responded');
    const times = await countRecorded(agent.id, delivery.id);
    expect(isUnknown ? times <= 1 : times === 1, `${times} times`).toBe(true);
  }
});
