import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Agent, Delivery, Session } from '@attache/contracts';
import { type Api, copyTemplateFolder, spawnStack } from '@attache/test-harness';
import { expect, it } from 'vitest';
import { createRandom } from '../seeded-random.ts';

const PRELOAD = fileURLToPath(new URL('crash-at.ts', import.meta.url));
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const LIVES = isShort ? 1 : 10;
const DIES_WITHIN_MS = 60_000;
const seed = Number(process.env.ATTACHE_TEST_SEED ?? Date.now() % 1_000_000_007);

/** The steps of a rebuild: it reads what the agent may still know of, marks its first byte, and notes the result of the turn. */
const steps = [
  { step: 'its history is read', name: 'attache_permitted' },
  { step: 'its first byte is marked', name: 'attache_mark_writing' },
  { step: 'what was written is recorded', name: 'attache_write_as_owner' },
];
const points = steps.flatMap((step) => (['before', 'after'] as const).map((moment) => ({ ...step, moment })));
const chosen = points[createRandom(seed).below(points.length)];
const drawn = points.filter((point) => !isShort || point === chosen);

type Place = { session: Session; agent: Agent };

async function say(api: Api, { session, agent }: Place, text: string): Promise<Delivery> {
  const { deliveries } = await api.send(session.id, { to: [agent.id], text });
  return api.settled(deliveries[0].id);
}

/** The ids that the agent was given, by its own record: it continues no conversation, but keeps its folder. */
async function readRecord(dataDir: string, { agent }: Place): Promise<string[]> {
  const text = await readFile(join(dataDir, 'agents', agent.id, 'home', 'deliveries.jsonl'), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).deliveryId]));
}

async function liveOnce(dataDir: string, { name, moment }: (typeof points)[number]): Promise<void> {
  const first = await spawnStack(dataDir);
  const place = await first.api.createSession();
  await say(first.api, place, 'First.');
  await first.end('SIGKILL');

  const environment = { NODE_OPTIONS: `--import=${PRELOAD}`, ATTACHE_TEST_CRASH_AT: `${name}:${moment}:1` };
  const dying = await spawnStack(dataDir, environment);
  const dead = once(dying.process, 'exit', { signal: AbortSignal.timeout(DIES_WITHIN_MS) });
  const { deliveries } = await dying.api.send(place.session.id, { to: [place.agent.id], text: 'Second.' });
  expect((await dead)[1]).toBe('SIGKILL');
  await dying.end('SIGKILL');

  const last = await spawnStack(dataDir);
  try {
    const second = await last.api.settled(deliveries[0].id);
    const end = second.status === 'failed' ? second.failure?.code : second.status;
    expect(['responded', 'delivery_outcome_unknown']).toContain(end);
    const third = await say(last.api, place, 'Third.');
    expect(third).toMatchObject({ status: 'responded' });
    const record = await readRecord(dataDir, place);
    expect(new Set(record).size, 'nothing was given to the agent twice').toBe(record.length);
    expect(record).toContain(third.id);

    const events = await last.api.events(place.session.id);
    const written = events.filter(({ kind }) => kind === 'delivery.written').map(({ data }) => data.deliveryId);
    expect(new Set(written).size).toBe(written.length);
    const rebuilt = events.filter(({ kind }) => kind === 'agent.rebuilt').map(({ data }) => data);
    // Each process that was given a message had received everything that was written before it.
    for (const { deliveryId, messages } of rebuilt.filter(({ deliveryId: id }) => written.includes(id)))
      expect(messages).toBe(written.indexOf(deliveryId));
    expect(rebuilt.length).toBeGreaterThan(0);
  } finally {
    await last.end('SIGKILL');
  }
}

it.each(drawn)(
  'a rebuild survives SIGKILL right $moment $step: nothing lost, nothing twice, and all is told that was said [SR-15 BX-26 W16]',
  async (point) => {
    for (let life = 0; life < LIVES; life += 1) {
      const dataDir = await copyTemplateFolder();
      try {
        await liveOnce(dataDir, point);
      } catch (error) {
        throw new Error(`seed ${seed}, life ${life}: ${String(error)}`, { cause: error });
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    }
  },
);
