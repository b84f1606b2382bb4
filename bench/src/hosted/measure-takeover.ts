import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidFromId } from '@attache/contracts';
import { type SpawnedService, spawnService } from '@attache/test-harness';
import postgres from 'postgres';
import type { Result } from '../report/result.ts';
import { percentile, summarise } from '../report/sample.ts';
import type { HostedBench } from './bench.ts';

const ROUNDS = 10;
/** Until each has renewed its lease since the other one came: the lease of the only gateway is longer. */
const RENEWED_MS = 2_500;

/** How a gateway ends, and within what time its sessions are to have another one, in milliseconds. */
const ways = {
  'its process is killed': { signal: 'SIGKILL', atMost: 2_000 },
  'it is stopped': { signal: 'SIGSTOP', atMost: 8_000 },
  'it gets SIGTERM': { signal: 'SIGTERM', atMost: 500 },
} as const satisfies Record<string, { signal: NodeJS.Signals; atMost: number }>;

type Way = (typeof ways)[keyof typeof ways];

/** One of two gateways of a stack, which is started again each time that it has ended. */
type Member = { name: string; service: SpawnedService };

type Pair = { members: Member[]; sql: postgres.Sql; environmentOf(name: string): Record<string, string> };

async function openPair({ product }: HostedBench): Promise<Pair> {
  const { stack } = product;
  await stack.services['runner-gateway'].end('SIGTERM');
  const environmentOf = (name: string) => ({
    ...stack.environmentOf('runner-gateway'),
    ATTACHE_REPLICA_ID: name,
    ATTACHE_DATA_DIR: join(stack.dataDir, name),
  });
  const names = [1, 2].map((count) => `bench-takeover-${process.pid}-${count}`);
  for (const name of names) await mkdir(join(stack.dataDir, name), { recursive: true });
  const members: Member[] = [];
  for (const name of names) members.push({ name, service: await spawnService('runner-gateway', environmentOf(name)) });
  await delay(RENEWED_MS);
  return { members, environmentOf, sql: postgres(stack.database.superuserUrl, { max: 1, onnotice: () => {} }) };
}

/** From the signal until another gateway has acted for the session: settled what ran, or claimed what came next. */
async function takeOver({ product }: HostedBench, pair: Pair, { signal }: Way): Promise<number> {
  const { api } = product.stack;
  const { session, agent } = await api.createSession();
  const send = async (text: string) => (await api.send(session.id, { to: [agent.id], text })).deliveries[0].id;
  const isBusy = signal !== 'SIGTERM';
  const running = await send(isBusy ? 'example: hang' : 'hello');
  if (isBusy) await api.reached(running, 'written');
  else await api.settled(running);
  const [owner] = await pair.sql`select replica_id from session_owner where session_id = ${uuidFromId(session.id)}`;
  const member = pair.members.find(({ name }) => name === owner?.replica_id);
  if (!member) throw new Error('No gateway of the pair owns the session.');
  const begunAt = Date.now();
  member.service.process.kill(signal);
  const watched = isBusy ? running : await send('and now?');
  const { timeline } = await api.settled(watched);
  const taken = timeline.find(
    ({ status, at }) => Date.parse(at) > begunAt && (status === 'failed' || status === 'claimed'),
  );
  if (!taken) throw new Error('No gateway took the session over.');
  await member.service.end('SIGKILL');
  member.service = await spawnService('runner-gateway', pair.environmentOf(member.name));
  await delay(RENEWED_MS);
  return Date.parse(taken.at) - begunAt;
}

/** How long the sessions of a gateway that is gone wait for another one. */
export async function measureTakeovers(bench: HostedBench): Promise<Result[]> {
  bench.say('  takeovers between two gateways');
  const pair = await openPair(bench);
  const results: Result[] = [];
  try {
    for (const [name, way] of Object.entries(ways)) {
      const times: number[] = [];
      for (let round = 0; round < bench.counted(ROUNDS); round += 1) times.push(await takeOver(bench, pair, way));
      const what = `another gateway acts for a session, p99 of ${times.length}, after ${name}`;
      const target = { of: 'product', atMost: way.atMost } as const;
      results.push({ what, unit: 'ms', product: summarise([percentile(times, 0.99)]), target });
    }
    return results;
  } finally {
    await pair.sql.end();
    await Promise.all(pair.members.map(({ service }) => service.end('SIGKILL')));
    await bench.product.stack.start('runner-gateway');
  }
}
