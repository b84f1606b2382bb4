import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { copyTemplateFolder, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { expect, it } from 'vitest';
import { recover } from '../check-recovery.ts';
import { type Ledger, openLedger } from '../ledger.ts';
import { listDescendants, type ProcessIdentity } from '../processes.ts';
import { type Life, type Load, putLoad } from '../put-load.ts';
import { createRandom, type SeededRandom } from '../seeded-random.ts';

const PRELOAD = fileURLToPath(new URL('crash-at.ts', import.meta.url));
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const LIVES = isShort ? 1 : 10;
const DIES_WITHIN_MS = 120_000;
const seed = Number(process.env.ATTACHE_TEST_SEED ?? Date.now() % 1_000_000_007);

/** The statements that do in one commit what several did, each with its share of a load. */
const steps = [
  { step: 'an upload is recorded, ready where nothing is to be inspected', name: 'attache_record_attachment', most: 2 },
  { step: 'a message is accepted, its deliveries prepared', name: 'attache_accept_message', most: 2 },
  { step: 'an owner writes what came together', name: 'attache_write_as_owner', most: 6 },
];
const moments = ['before', 'after'] as const;
const every = steps.flatMap((step) => moments.map((moment) => ({ ...step, moment })));
const chosen = every[createRandom(seed).below(every.length)];
const points = every.filter((point) => !isShort || point === chosen);

type Point = (typeof every)[number];

async function loadWhileAlive(stack: SpawnedStack, load: () => Promise<Load>): Promise<void> {
  while (stack.process.signalCode === null) await (await load()).done;
}

/** Loads a stack until it has died of itself at its point. Returns what ran below it. */
async function loadUntilDead(stack: SpawnedStack, ledger: Ledger, random: SeededRandom): Promise<ProcessIdentity[]> {
  const dead = once(stack.process, 'exit', { signal: AbortSignal.timeout(DIES_WITHIN_MS) });
  // It dies of itself: a request may fail at any time.
  const life: Life = { api: stack.api, isKilled: true };
  let below: ProcessIdentity[] = [];
  const look = setInterval(async () => {
    const found = await listDescendants(stack.process.pid ?? 0).catch(() => []);
    if (found.length > 0) below = found;
  }, 20);
  const load = loadWhileAlive(stack, () => putLoad(life, ledger, random));
  const [, signal] = await dead.finally(() => clearInterval(look));
  ledger.killedAt.push(Date.now());
  expect(signal).toBe('SIGKILL');
  await load;
  return below;
}

async function liveOnce(ledger: Ledger, point: Point, random: SeededRandom): Promise<ProcessIdentity[]> {
  const call = 1 + random.below(point.most);
  const environment = {
    NODE_OPTIONS: `--import=${PRELOAD}`,
    ATTACHE_TEST_CRASH_AT: `${point.name}:${point.moment}:${call}`,
  };
  const stack = await spawnStack(ledger.dataDir, environment);
  try {
    return await loadUntilDead(stack, ledger, random);
  } finally {
    await stack.end('SIGKILL');
  }
}

it.each(points)(
  'survives SIGKILL right $moment the commit with which $step: no record or bytes are lost, nothing is answered twice [W2 W3 W4 W16 DL-61 AT-02]',
  async (point) => {
    const random = createRandom(seed);
    for (let life = 0; life < LIVES; life += 1) {
      const ledger = openLedger(await copyTemplateFolder());
      try {
        await recover(ledger, await liveOnce(ledger, point, random));
      } catch (error) {
        throw new Error(`seed ${seed}, life ${life}: ${String(error)}`, { cause: error });
      } finally {
        await rm(ledger.dataDir, { recursive: true, force: true });
      }
    }
  },
);
