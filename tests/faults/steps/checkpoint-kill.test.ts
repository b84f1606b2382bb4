import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Delivery, SessionEvent } from '@attache/contracts';
import {
  type Api,
  conversingAgent,
  copyTemplateFolder,
  type PickyModel,
  type SpawnedStack,
  spawnStack,
  startPickyModel,
} from '@attache/test-harness';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRandom } from '../seeded-random.ts';

const PRELOAD = fileURLToPath(new URL('crash-at.ts', import.meta.url));
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const LIVES = isShort ? 1 : 5;
const DIES_WITHIN_MS = 60_000;
const seed = Number(process.env.ATTACHE_TEST_SEED ?? Date.now() % 1_000_000_007);

/** The steps of a checkpoint after a turn, and of its way back before the next one. */
const steps = [
  { what: 'checkpoint', step: 'its key is reserved', name: 'attache_reserve_upload' },
  { what: 'checkpoint', step: 'it is recorded', name: 'attache_keep_checkpoint' },
  { what: 'restore', step: 'it is read', name: 'attache_read_checkpoint' },
  { what: 'restore', step: 'the first byte behind it is marked', name: 'attache_mark_writing' },
] as const;
const points = steps.flatMap((step) => (['before', 'after'] as const).map((moment) => ({ ...step, moment })));
const chosen = points[createRandom(seed).below(points.length)];
const drawn = points.filter((point) => !isShort || point === chosen);

let model: PickyModel;
beforeAll(async () => {
  model = await startPickyModel();
});
afterAll(() => model.stop());

type Place = Awaited<ReturnType<Api['createSession']>>;

async function start(dataDir: string, environment: Record<string, string> = {}): Promise<SpawnedStack> {
  return spawnStack(dataDir, { ATTACHE_PROFILES: join(dataDir, 'profiles.json'), ...environment });
}

async function writeProfiles(dataDir: string): Promise<void> {
  const command = [process.execPath, conversingAgent, 'claude-agent-acp'];
  const endpoint = { api: 'anthropic', baseUrl: model.url, apiKey: 'env:PATH' };
  const program = { runtime: 'acp', command, provider: 'anthropic', model: 'claude-sonnet-5', endpoint };
  // A checkpoint comes when the process rests, which it does at once.
  const conversing = { ...program, limits: { idleStopMs: 50 } };
  await writeFile(join(dataDir, 'profiles.json'), JSON.stringify({ profiles: { conversing } }));
}

const openPlace = ({ api }: SpawnedStack) => api.createSession({ profile: 'conversing', model: 'claude-sonnet-5' });

async function say({ api }: SpawnedStack, { session, agent }: Place, text: string): Promise<Delivery> {
  const { deliveries } = await api.send(session.id, { to: [agent.id], text });
  const delivery = await api.settled(deliveries[0].id);
  const isOfDelivery = ({ kind, data }: SessionEvent) =>
    kind === 'agent.checkpointed' && data.deliveryId === delivery.id;
  const kept = await api.logged(session.id, isOfDelivery);
  const keptAt = kept.at(-1)?.seq ?? 0;
  await api.logged(session.id, ({ kind, seq }) => kind === 'agent.stopped' && seq > keptAt);
  return delivery;
}

const loseFolder = (dataDir: string, { agent }: Place) =>
  rm(join(dataDir, 'agents', agent.id), { recursive: true, force: true });

async function liveOnce(dataDir: string, { what, name, moment }: (typeof points)[number]): Promise<string | undefined> {
  await writeProfiles(dataDir);
  const first = await start(dataDir);
  const place = await openPlace(first);
  await say(first, place, 'The first.');
  await first.end('SIGKILL');
  if (what === 'restore') await loseFolder(dataDir, place);

  const environment = { NODE_OPTIONS: `--import=${PRELOAD}`, ATTACHE_TEST_CRASH_AT: `${name}:${moment}:1` };
  const dying = await start(dataDir, environment);
  const dead = once(dying.process, 'exit', { signal: AbortSignal.timeout(DIES_WITHIN_MS) });
  const { deliveries } = await dying.api.send(place.session.id, { to: [place.agent.id], text: 'The second.' });
  expect((await dead)[1]).toBe('SIGKILL');
  await dying.end('SIGKILL');
  if (what === 'checkpoint') await loseFolder(dataDir, place);

  const last = await start(dataDir);
  try {
    const second = await last.api.settled(deliveries[0].id);
    const end = second.status === 'failed' ? second.failure?.code : second.status;
    expect(['responded', 'delivery_outcome_unknown']).toContain(end);
    const third = await say(last, place, 'The third.');
    expect(third).toMatchObject({ status: 'responded' });
    const told = (model.requests.at(-1) ?? []).join('\n');
    const events = await last.api.events(place.session.id);
    const written = events.filter(({ kind }) => kind === 'delivery.written').map(({ data }) => data.deliveryId);
    expect(new Set(written).size, 'nothing was written twice').toBe(written.length);
    for (const [text, isTold] of [
      ['The first.', true],
      ['The second.', written.includes(second.id)],
      ['The third.', true],
    ] as const)
      if (isTold) expect(told.split(text), `the model was told "${text}" once`).toHaveLength(2);

    // The state that the last process left is enough, too.
    await loseFolder(dataDir, place);
    expect(await say(last, place, 'The fourth.')).toMatchObject({ receipt: { continuedBy: 'checkpoint' } });
    expect((model.requests.at(-1) ?? []).join('\n').split('The first.')).toHaveLength(2);
    return third.receipt?.continuedBy;
  } finally {
    await last.end('SIGKILL');
  }
}

const ways: Record<string, number> = {};
afterAll(() => {
  process.stdout.write(`seed ${seed}: after the kill an agent continued by ${JSON.stringify(ways)}\n`);
});

it.each(drawn)(
  'a $what survives SIGKILL right $moment $step: the model is told all that was said, each once [SR-15 BX-26 W16]',
  async (point) => {
    for (let life = 0; life < LIVES; life += 1) {
      const dataDir = await copyTemplateFolder();
      try {
        const way = (await liveOnce(dataDir, point)) ?? 'nothing';
        ways[way] = (ways[way] ?? 0) + 1;
      } catch (error) {
        throw new Error(`seed ${seed}, life ${life}: ${String(error)}`, { cause: error });
      } finally {
        await rm(dataDir, { recursive: true, force: true });
      }
    }
  },
);
