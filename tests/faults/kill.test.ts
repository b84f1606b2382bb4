import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { DeliveryStatus, SessionEvent } from '@attache/contracts';
import { copyTemplateFolder, spawnStack } from '@attache/test-harness';
import { expect, it } from 'vitest';
import { checkRecovered, recover } from './check-recovery.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { listDescendants, type ProcessIdentity } from './processes.ts';
import { type Life, type Load, putLoad } from './put-load.ts';
import { createRandom, type SeededRandom } from './seeded-random.ts';

const FOLDERS = 9;
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const KILLS_PER_FOLDER = isShort ? 3 : 6;
const FOLDERS_AT_ONCE = 2;
const LATE_MOMENT_MS = 5_000;
// The long tests fill every folder. Here it is enough once kills have met a delivery in each of its phases.
const FEWEST_KILLS = isShort ? 6 : FOLDERS * KILLS_PER_FOLDER;
const PHASES: DeliveryStatus[] = ['prepared', 'claimed', 'written', 'responded'];
const seed = Number(process.env.ATTACHE_TEST_SEED ?? Date.now() % 1_000_000_007);

/**
 * A random moment after the load began; of every two lives one dies after an agent got something to do, so that on a slow machine
 * too kills reach the late phases.
 */
async function waitForMoment({ api }: Life, { known }: Load, seenSeq: number, random: SeededRandom): Promise<void> {
  const isLate = random.below(2) === 0;
  const kind = random.pick(['delivery.claimed', 'delivery.written']);
  const waitMs = isLate ? random.below(250) : random.below(900);
  if (isLate && known) {
    const signal = AbortSignal.timeout(LATE_MOMENT_MS);
    const isNews = (event: SessionEvent) => event.kind === kind && event.seq > seenSeq;
    await api.logged(known.session.id, isNews, { signal }).catch(() => undefined);
  }
  await delay(waitMs);
}

async function readLastSeq({ api }: Life, ledger: Ledger): Promise<number> {
  const latest = ledger.sessions.at(-1)?.session;
  return latest ? ((await api.events(latest.id)).at(-1)?.seq ?? 0) : 0;
}

/** Starts, checks what the last life left, loads and kills. Returns what ran below the process that was killed. */
async function liveOnce(ledger: Ledger, random: SeededRandom, earlier: ProcessIdentity[]): Promise<ProcessIdentity[]> {
  const stack = await spawnStack(ledger.dataDir);
  try {
    await checkRecovered(stack, ledger, earlier);
    const life: Life = { api: stack.api, isKilled: false };
    const [latest, lastSeq] = [ledger.sessions.at(-1), await readLastSeq(life, ledger)];
    const load = await putLoad(life, ledger, random);
    await waitForMoment(life, load, load.known === latest ? lastSeq : 0, random);
    const below = await listDescendants(stack.process.pid ?? 0);
    life.isKilled = true;
    await stack.end('SIGKILL');
    ledger.killedAt.push(Date.now());
    await load.done;
    return below;
  } finally {
    await stack.end('SIGKILL');
  }
}

async function runFolder(index: number): Promise<Ledger> {
  const random = createRandom(seed + index);
  const ledger = openLedger(await copyTemplateFolder());
  let earlier: ProcessIdentity[] = [];
  try {
    while (ledger.killedAt.length < KILLS_PER_FOLDER) earlier = await liveOnce(ledger, random, earlier);
    await recover(ledger, earlier);
    return ledger;
  } catch (error) {
    throw new Error(`seed ${seed}, folder ${index}, after kill ${ledger.killedAt.length}: ${String(error)}`, {
      cause: error,
    });
  } finally {
    await rm(ledger.dataDir, { recursive: true, force: true });
  }
}

async function runFolders(): Promise<Ledger[]> {
  const waiting = Array.from({ length: FOLDERS }, (_, index) => index);
  const ledgers: Ledger[] = [];
  while (waiting.length > 0 && !isEnough(ledgers)) {
    // Waits for all of them: one that is left alone would leave its processes running.
    const ended = await Promise.allSettled(waiting.splice(0, FOLDERS_AT_ONCE).map(runFolder));
    for (const end of ended) {
      if (end.status === 'rejected') throw end.reason;
      ledgers.push(end.value);
    }
  }
  return ledgers;
}

const countKills = (ledgers: readonly Ledger[]) => ledgers.reduce((sum, { killedAt }) => sum + killedAt.length, 0);

function isEnough(ledgers: readonly Ledger[]): boolean {
  const atKill = sumStatuses(ledgers);
  return countKills(ledgers) >= FEWEST_KILLS && PHASES.every((phase) => atKill[phase]);
}

function sumStatuses(ledgers: readonly Ledger[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { statusesAtKill } of ledgers) {
    for (const [status, count] of statusesAtKill) sums[status] = (sums[status] ?? 0) + count;
  }
  return sums;
}

it('survives SIGKILL at random moments: no record is lost, nothing is answered or delivered twice, no bytes, variants or files are left behind [W2 W3 W8 W9 W16 DL-61 AT-02 SR-01 BX-10]', async () => {
  const ledgers = await runFolders();
  const kills = countKills(ledgers);
  const atKill = sumStatuses(ledgers);
  const settled = ledgers.flatMap((ledger) => [...ledger.settled.values()]);
  const unknown = settled.filter(({ status }) => status === 'failed').length;
  const summary = {
    seed,
    kills,
    uploads: ledgers.reduce((sum, { uploads }) => sum + uploads.length, 0),
    deliveries: settled.length,
    outcomeUnknown: unknown,
    lostAnswers: ledgers.reduce((sum, { repeated }) => sum + repeated, 0),
    deliveriesAtKill: atKill,
  };
  process.stdout.write(`kills: ${JSON.stringify(summary)}\n`);
  expect(kills).toBeGreaterThanOrEqual(FEWEST_KILLS);
  expect(summary.lostAnswers).toBeGreaterThan(0);
  expect(
    PHASES.filter((status) => !atKill[status]),
    `no kill hit these: ${JSON.stringify(atKill)}`,
  ).toEqual([]);
});
