import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Delivery, SessionEvent } from '@attache/contracts';
import { type Api, listTemporaryFiles, readStoredState, type SpawnedStack, spawnStack } from '@attache/test-harness';
import { expect } from 'vitest';
import type { BegunUpload, Ledger } from './ledger.ts';
import { isRunning, listEarlierChildren, type ProcessIdentity } from './processes.ts';
import { type Life, sendMessage, sendUpload } from './put-load.ts';

/** No agent, worker or what they started is left of an earlier process. */
async function checkNoChildren(ledger: Ledger, stack: SpawnedStack, earlier: ProcessIdentity[]): Promise<void> {
  const ofMarker = await listEarlierChildren(ledger.dataDir, stack.process.pid ?? 0);
  const stillThere = await Promise.all(earlier.map(async (process) => ((await isRunning(process)) ? [process] : [])));
  expect([...ofMarker, ...stillThere.flat()], 'children of an earlier process').toEqual([]);
}

/** Repeats each request that got no answer under its key, as a client does. */
export async function repeatLost(life: Life, ledger: Ledger): Promise<void> {
  for (const upload of ledger.uploads.filter(({ attachmentId }) => attachmentId === undefined)) {
    ledger.repeated += 1;
    await sendUpload(life, upload, upload.bytes);
  }
  for (const message of ledger.messages.filter(({ deliveryIds }) => deliveryIds === undefined)) {
    ledger.repeated += 1;
    await sendMessage(life, message);
  }
}

async function checkUpload(api: Api, upload: BegunUpload): Promise<void> {
  const attachmentId = upload.attachmentId ?? '';
  const { status, sha256 } = await api.inspected(attachmentId);
  expect(status, `${attachmentId} (${upload.name})`).toBe('ready');
  const { body } = await api.call<{ url: string }>('POST', `/attachments/${attachmentId}/urls`, { body: {} });
  const response = await fetch(body.url);
  const digest = createHash('sha256')
    .update(Buffer.from(await response.arrayBuffer()))
    .digest('hex');
  const sent = createHash('sha256').update(upload.bytes).digest('hex');
  expect([response.status, digest, sha256]).toEqual([200, sent, sent]);
}

/** Every upload that was acknowledged is there, byte for byte, and inspected. */
export async function checkUploads(api: Api, uploads: readonly BegunUpload[]): Promise<void> {
  await Promise.all(uploads.map((upload) => checkUpload(api, upload)));
}

function noteStatusesAtKill(ledger: Ledger, delivery: Delivery): void {
  for (const killedAt of ledger.killedAt) {
    const before = delivery.timeline.filter(({ at }) => Date.parse(at) <= killedAt);
    const after = delivery.timeline.length > before.length;
    const status = before.at(-1)?.status;
    const isNews = status === 'responded' ? isFirstKillAfter(ledger, delivery, killedAt) : after;
    if (status && isNews) ledger.statusesAtKill.set(status, (ledger.statusesAtKill.get(status) ?? 0) + 1);
  }
}

// One that has responded does so before every later kill; it counts for the life in which it did.
function isFirstKillAfter(ledger: Ledger, delivery: Delivery, killedAt: number): boolean {
  const respondedAt = Date.parse(delivery.timeline.at(-1)?.at ?? '');
  return ledger.killedAt.find((at) => at >= respondedAt) === killedAt;
}

/** Every message that was accepted has ended: responded, or failed because nothing can be proven. */
async function checkDeliveries(api: Api, ledger: Ledger): Promise<void> {
  const ids = ledger.messages.flatMap(({ deliveryIds }) => deliveryIds ?? []).filter((id) => !ledger.settled.has(id));
  for (const id of ids) {
    const delivery = await api.settled(id);
    const end = delivery.status === 'failed' ? delivery.failure?.code : delivery.status;
    expect(['responded', 'delivery_outcome_unknown'], `${id}: ${JSON.stringify(delivery.failure)}`).toContain(end);
    ledger.settled.set(id, delivery);
    noteStatusesAtKill(ledger, delivery);
  }
}

async function readRecord(dataDir: string, agentId: string): Promise<string[]> {
  const text = await readFile(join(dataDir, 'agents', agentId, 'home', 'deliveries.jsonl'), 'utf8').catch(() => '');
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line) => JSON.parse(line).deliveryId as string);
}

/** In the agents' own records each delivery is at most once, and each that responded exactly once. */
export async function checkAgentRecords(ledger: Ledger): Promise<void> {
  const agents = ledger.sessions.flatMap((session) => session.agents);
  const recorded = (await Promise.all(agents.map(({ id }) => readRecord(ledger.dataDir, id)))).flat();
  expect(
    recorded.filter((id, index) => recorded.indexOf(id) !== index),
    'delivered twice',
  ).toEqual([]);
  const responded = [...ledger.settled.values()].filter(({ status }) => status === 'responded').map(({ id }) => id);
  expect(
    responded.filter((id) => !recorded.includes(id)),
    'responded without being delivered',
  ).toEqual([]);
  expect(
    recorded.filter((id) => !ledger.settled.has(id)),
    'delivered without being accepted',
  ).toEqual([]);
}

const ends = new Set(['delivery.responded', 'delivery.failed', 'delivery.cancelled']);

function countEnds(events: readonly SessionEvent[]): Map<string, number> {
  const counts = new Map<string, number>();
  const add = (id: string) => counts.set(id, (counts.get(id) ?? 0) + 1);
  for (const { kind, data } of events) {
    if (ends.has(kind)) add((data as { deliveryId: string }).deliveryId);
    if (kind === 'attachment.ready' || kind === 'attachment.rejected') {
      add((data as { attachmentId: string }).attachmentId);
    }
  }
  return counts;
}

/** Each session's log has no gap, and each attachment and delivery ends once in it, however often its message came. */
export async function checkSessionLogs(api: Api, ledger: Ledger): Promise<void> {
  for (const { session } of ledger.sessions) {
    const events = await api.events(session.id);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
    const counts = countEnds(events);
    expect(
      [...counts].filter(([, count]) => count !== 1),
      'ended more than once',
    ).toEqual([]);
    const known = ledger.uploads.filter((upload) => upload.sessionId === session.id);
    const added = events.filter(
      ({ kind, data }) => kind === 'attachment.added' && 'origin' in data && data.origin === 'upload',
    );
    expect(added.length, 'uploads in the log').toBe(known.length);
  }
}

/** Starts a last life, whose stack and folder hold what was promised in all earlier ones. */
export async function recover(ledger: Ledger, earlier: ProcessIdentity[]): Promise<void> {
  const stack = await spawnStack(ledger.dataDir);
  try {
    await checkRecovered(stack, ledger, earlier);
    await checkUploads(stack.api, ledger.uploads);
    await checkSessionLogs(stack.api, ledger);
    expect(await stack.end('SIGTERM')).toBe(0);
  } finally {
    await stack.end('SIGKILL');
  }
  await checkAtRest(ledger);
}

/** Checks that promises of earlier lives hold in the next one. */
export async function checkRecovered(stack: SpawnedStack, ledger: Ledger, earlier: ProcessIdentity[]): Promise<void> {
  await checkNoChildren(ledger, stack, earlier);
  await repeatLost({ api: stack.api, isKilled: false }, ledger);
  await checkUploads(stack.api, ledger.uploads.slice(-12));
  await checkDeliveries(stack.api, ledger);
  await checkAgentRecords(ledger);
}

/** The folder of a stopped stack holds what was promised, and nothing else. */
async function checkAtRest(ledger: Ledger): Promise<void> {
  const state = await readStoredState(ledger.dataDir);
  expect(state.storedKeys, 'blob files and rows that keep them').toEqual(state.keptKeys);
  expect(state).toMatchObject({ unsettledKeys: [], reservedBytes: 0, deadLetters: [], unfinished: [] });
  expect(state.texts.toSorted()).toEqual(ledger.messages.map(({ body }) => body.text).toSorted());
  expect(await listTemporaryFiles(ledger.dataDir)).toEqual([]);
}
