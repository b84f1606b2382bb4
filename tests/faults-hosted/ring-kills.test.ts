import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Session } from '@attache/contracts';
import { readEnvironment } from '@attache/infra/config';
import { findServers } from '@attache/infra/find-servers';
import type { ServerStarts } from '@attache/infra/native/servers/server-starts';
import type { Api, ServiceName } from '@attache/test-harness';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { checkAgentRecords, checkSessionLogs, repeatLost } from '../faults/check-recovery.ts';
import { type Ledger, newKey, openLedger } from '../faults/ledger.ts';
import { sendMessage, sendUpload } from '../faults/put-load.ts';
import { createRandom } from '../faults/seeded-random.ts';
import { type KillableStack, startKillable } from './components.ts';
import { createPatientApi } from './patient-api.ts';

/**
 * The steps that ring or are rung for, by what their commit does to a delivery and the status that it has reached by then, and who makes it. Each is held at its
 * commit, so that a kill meets exactly that place. With `isWarm` the agent runs: what the ring brought is claimed without a look.
 */
const steps = {
  'the acceptance of a message': { does: 'insert', status: 'queued', service: 'ingest', lock: 4_711 },
  'the acceptance of a message to an agent that runs': {
    ...{ does: 'insert', status: 'queued', service: 'ingest', lock: 4_711, isWarm: true },
  },
  'the building of its parts': { does: 'update', status: 'prepared', service: 'projector', lock: 4_712 },
  'its claim': { does: 'update', status: 'claimed', service: 'runner-gateway', lock: 4_713 },
  'its claim by an agent that runs': {
    ...{ does: 'update', status: 'claimed', service: 'runner-gateway', lock: 4_713, isWarm: true },
  },
} as const satisfies Record<string, Held & { service: ServiceName; isWarm?: true }>;

type Held = { does: 'insert' | 'update'; status: string; lock: number };

/**
 * When its process is killed: before the commit, which the server rolls back; during the commit, which the server makes and nobody hears of, so that
 * nothing is rung; after it.
 */
const moments = ['before', 'during', 'after'] as const;

type Step = Held & { service: ServiceName; isWarm?: true };
type Moment = (typeof moments)[number];

// The long tests make all of them, several times; the short run has each step at a moment that the seed draws.
const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const ROUNDS = isShort ? 1 : 7;
const random = createRandom(Number(process.env.ATTACHE_TEST_SEED ?? Date.now() % 1_000_000_007));

const { starts } = await findServers({ environment: readEnvironment() });
const hasServers = Boolean(starts.postgres && starts.nats && starts.minio);
const title = 'a process that is killed where it rings or is rung for';

let stack: KillableStack;
let api: Api;
let sql: postgres.Sql;

const WAIT = { timeout: 60_000, interval: 10 };

/** Each commit of such a step waits for whoever holds its lock. */
async function installHolds(): Promise<void> {
  await sql.unsafe(`create function test_hold() returns trigger language plpgsql as $$
    begin perform pg_advisory_xact_lock_shared(tg_argv[0]::bigint); return null; end $$`);
  const held = new Map<number, Held>(Object.values(steps).map((step) => [step.lock, step]));
  for (const { does, status, lock } of held.values()) {
    const condition = does === 'update' ? `when (new.status = '${status}')` : '';
    await sql.unsafe(`create constraint trigger test_hold_${lock} after ${does} on delivery deferrable initially deferred
      for each row ${condition} execute function test_hold(${lock})`);
  }
}

const findHeld = (lock: number) =>
  vi.waitUntil(async () => {
    const [held] = await sql`select pid from pg_locks where locktype = 'advisory' and objid = ${lock} and not granted`;
    return held?.pid as number | undefined;
  }, WAIT);

const reachedStatus = (status: string, after: Date) =>
  vi.waitUntil(async () => {
    const [moved] = await sql`select 1 from delivery_transition where status = ${status} and at >= ${after}`;
    return moved !== undefined;
  }, WAIT);

async function killAt({ status, service, lock }: Step, moment: Moment): Promise<void> {
  const killed = () => stack.hosted.services[service].end('SIGKILL');
  const began = new Date();
  if (moment === 'after') {
    await reachedStatus(status, began);
    await killed();
    return;
  }
  const pid = await findHeld(lock);
  await killed();
  if (moment === 'before') await sql`select pg_terminate_backend(${pid})`;
}

/** Text that is not UTF-8, so that the projector has something to make of it. */
async function uploadForeignText(ledger: Ledger, sessionId: string): Promise<string> {
  const bytes = new Uint8Array(Buffer.from('\ufeffwords', 'utf16le'));
  const upload = { idempotencyKey: newKey(), sessionId, name: 'a.txt', type: 'text/plain', bytes };
  ledger.uploads.push(upload);
  const attachmentId = await sendUpload({ api, isKilled: false }, upload, bytes);
  if (attachmentId === undefined) throw new Error('the upload was not answered');
  return attachmentId;
}

/** Starts an agent with a message of its own. */
async function warm(ledger: Ledger, sessionId: string, body: Ledger['messages'][number]['body']): Promise<void> {
  const message: Ledger['messages'][number] = { idempotencyKey: newKey(), sessionId, body };
  ledger.messages.push(message);
  await sendMessage({ api, isKilled: false }, message);
  for (const id of message.deliveryIds ?? []) ledger.settled.set(id, await api.settled(id));
}

/** Sends one message, and kills the process of this step at this moment; all is well again at the end. */
async function killOnce(ledger: Ledger, step: Step, moment: Moment): Promise<void> {
  const agents = [{ name: 'one', role: 'lead', target: { profile: 'example' } }];
  const { session } = (await api.call<{ session: Session }>('POST', '/sessions', { body: { agents } })).body;
  ledger.sessions.push({ session, agents: session.agents });
  const attachmentIds = step.service === 'projector' ? [await uploadForeignText(ledger, session.id)] : [];
  const body = { to: session.agents.map(({ id }) => id), text: 'hello', attachmentIds };
  if (step.isWarm) await warm(ledger, session.id, body);
  const message: Ledger['messages'][number] = { idempotencyKey: newKey(), sessionId: session.id, body };
  ledger.messages.push(message);
  const holder = await sql.reserve();
  if (moment !== 'after') await holder`select pg_advisory_lock(${step.lock})`;
  const killing = killAt(step, moment);
  // A request that is cut off or refused is lost, not wrong.
  const life = { api: stack.hosted.api, isKilled: true };
  const sent = sendMessage(life, message).catch(() => {});
  await killing;
  if (moment !== 'after') await holder`select pg_advisory_unlock(${step.lock})`;
  holder.release();
  await delay(50);
  await stack.hosted.start(step.service);
  await sent;
  await repeatLost({ api, isKilled: false }, ledger);
  for (const id of message.deliveryIds ?? []) ledger.settled.set(id, await api.settled(id));
}

const readRest = async () => {
  const [rest] = await sql`select (select count(*)::int from outbox where state in ('waiting', 'published')) as waiting,
    (select count(*)::int from delivery where status not in ('responded', 'failed', 'cancelled')) as unfinished,
    (select count(*)::int from dead_letter) as dead`;
  return rest;
};

(hasServers ? describe : describe.skip)(hasServers ? title : `${title}: it needs Postgres, NATS and MinIO`, () => {
  beforeAll(async () => {
    stack = await startKillable(starts as ServerStarts);
    api = createPatientApi(stack.hosted.api, new Map());
    sql = postgres(stack.hosted.database.superuserUrl, { max: 4, onnotice: () => {} });
    await installHolds();
  });
  afterAll(async () => {
    await sql?.end();
    await stack?.stop();
  });

  it('loses nothing that was acknowledged and delivers nothing twice, before, during and after each commit [W2 W4 W8 W9 DL-44]', async () => {
    const ledger = openLedger(join(stack.hosted.dataDir, 'runner-gateway'));
    const kills: Record<string, number> = {};
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, step] of Object.entries(steps)) {
        for (const moment of isShort ? [random.pick(moments)] : moments) {
          const point = `${moment} ${name}`;
          await killOnce(ledger, step, moment).catch((error) => {
            throw new Error(`round ${round}, killed ${point}: ${String(error)}`, { cause: error });
          });
          kills[point] = (kills[point] ?? 0) + 1;
        }
      }
    }
    const ends = [...ledger.settled.values()].map(({ status, failure }) => failure?.code ?? status);
    const counts = Object.fromEntries([...new Set(ends)].map((end) => [end, ends.filter((one) => one === end).length]));
    process.stdout.write(`ring kills: ${JSON.stringify({ kills, messages: ledger.messages.length, ends: counts })}\n`);
    expect(ledger.settled.size).toBe(ledger.messages.length);
    expect(Object.keys(counts).filter((end) => end !== 'responded' && end !== 'delivery_outcome_unknown')).toEqual([]);
    await checkAgentRecords(ledger);
    await checkSessionLogs(api, ledger);
    const none = { waiting: 0, unfinished: 0, dead: 0 };
    await vi.waitFor(async () => expect(await readRest()).toEqual(none), { timeout: 120_000, interval: 200 });
  });
});
