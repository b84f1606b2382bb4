import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import type { Api } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkAgentRecords, checkSessionLogs, checkUploads, repeatLost } from '../faults/check-recovery.ts';
import { type Ledger, openLedger } from '../faults/ledger.ts';
import { type Life, putLoad } from '../faults/put-load.ts';
import { createRandom } from '../faults/seeded-random.ts';
import { type ComponentName, componentNames, type KillableStack, startKillable } from './components.ts';
import { createPatientApi, type Retries } from './patient-api.ts';

// The long tests make all of them, each time with another seed.
const KILLS_PER_COMPONENT = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 1 : 20;
const seed = Number(process.env.ATTACHE_TEST_SEED ?? Date.now() % 1_000_000_007);

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);

let stack: KillableStack;
let api: Api;
const retries: Retries = new Map();
const counts: Record<string, number> = {};

/** One kill amid traffic; the traffic ends well, or is asked for again until it does. */
async function killOnce(component: ComponentName, ledger: Ledger, random: ReturnType<typeof createRandom>) {
  // A request that is cut off is lost, not wrong.
  const life: Life = { api, isKilled: true };
  const load = await putLoad(life, ledger, random);
  await delay(random.below(500));
  await stack.killAndRestart(component, random.below(300));
  counts[component] = (counts[component] ?? 0) + 1;
  await load.done;
  await repeatLost({ api, isKilled: false }, ledger);
}

async function settleAll(ledger: Ledger): Promise<void> {
  const ids = ledger.messages.flatMap(({ deliveryIds }) => deliveryIds ?? []);
  for (const id of ids) ledger.settled.set(id, await api.settled(id));
}

/** The work that no answer reports: messages that wait or died, deliveries without an end, keys that nobody closed. */
async function readRest(): Promise<{ waiting: number; unfinished: number; open: number; dead: string[] }> {
  const sql = postgres(stack.hosted.database.superuserUrl, { max: 1 });
  try {
    const [outbox] = await sql`select count(*)::int as waiting from outbox where state in ('waiting', 'published')`;
    const [delivery] =
      await sql`select count(*)::int as unfinished from delivery where status not in ('responded', 'failed', 'cancelled')`;
    const [key] = await sql`select count(*)::int as open from idempotency where state = 'in-progress'`;
    const dead = await sql`select subject || ': ' || reason as line from dead_letter`;
    return {
      ...{ waiting: Number(outbox?.waiting), unfinished: Number(delivery?.unfinished), open: Number(key?.open) },
      dead: dead.map(({ line }) => String(line)),
    };
  } finally {
    await sql.end();
  }
}

function countEnds(ledger: Ledger): Record<string, number> {
  const ends: Record<string, number> = {};
  for (const { status, failure } of ledger.settled.values()) {
    // An unexpected end says why.
    const isExpected = failure === undefined || failure.code === 'delivery_outcome_unknown';
    const end = isExpected ? (failure?.code ?? status) : `${failure.code}: ${failure.diagnostic}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
  return ends;
}

const title = 'the hosted stack under faults';

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    stack = await startKillable(starts as ServerStarts);
    api = createPatientApi(stack.hosted.api, retries);
  });
  afterAll(() => stack?.stop(), 60_000);

  it('survives SIGKILL of each of its six kinds of processes amid traffic: no record is lost, no message or key is used twice, no bytes or variants are left behind, service returns [W1 W2 W3 W4 W6 W8 W9 DL-44 AT-02]', async () => {
    const random = createRandom(seed);
    const ledger = openLedger(join(stack.hosted.dataDir, 'runner-gateway'));
    for (let round = 0; round < KILLS_PER_COMPONENT; round += 1) {
      for (const component of componentNames) {
        await killOnce(component, ledger, random).catch((error) => {
          throw new Error(`seed ${seed}, round ${round}, ${component}: ${String(error)}`, { cause: error });
        });
      }
      process.stdout.write(`round ${round + 1} of ${KILLS_PER_COMPONENT}: ${ledger.uploads.length} uploads\n`);
    }
    await settleAll(ledger);
    const ends = countEnds(ledger);
    const summary = {
      seed,
      kills: counts,
      uploads: ledger.uploads.length,
      deliveries: ends,
      retries: Object.fromEntries(retries),
    };
    process.stdout.write(`kills: ${JSON.stringify(summary)}\n`);
    expect(counts).toEqual(Object.fromEntries(componentNames.map((name) => [name, KILLS_PER_COMPONENT])));
    expect(Object.keys(ends).filter((end) => end !== 'responded' && end !== 'delivery_outcome_unknown')).toEqual([]);
    await checkUploads(api, ledger.uploads);
    await checkAgentRecords(ledger);
    await checkSessionLogs(api, ledger);
    await vi.waitFor(async () => expect(await readRest()).toEqual({ waiting: 0, unfinished: 0, open: 0, dead: [] }), {
      timeout: 180_000,
      interval: 500,
    });
  });
});
