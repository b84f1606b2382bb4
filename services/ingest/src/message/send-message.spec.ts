import { randomUUID } from 'node:crypto';
import { idFromUuid, uuidFromId } from '@attache/contracts';
import { addUse, endSession as markEnded, setTenantLimits, settleInspection } from '@attache/database';
import { countRoundTrips, createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { callerOf, type Fixture, openFixture, readRow } from '../__fixtures__/open-fixture.ts';
import { addAgent } from '../session/add-agent.ts';
import { checkDraft, sendMessage } from './send-message.ts';

const plain = { isUnknownOverridden: false, isPartial: false };
const draftTo = (...to: string[]) => ({ to, text: 'hello', attachmentIds: [] as string[], ...plain });

/** A file of a kind that no model takes, inspected. */
async function addUnusable(fixture: Fixture): Promise<string> {
  const { deps, tenantId, sessionId } = fixture;
  const kind = 'unsupported' as const;
  const { attachmentId } = await createAttachment(deps.db, fixture, { kind, mimeType: 'application/zip' });
  const inspection = { status: 'ready' as const, kind, mimeType: 'application/zip', facts: {}, warnings: [] };
  const eventId = randomUUID();
  await settleInspection(deps.db, { tenantId, sessionId, attachmentId, eventId, inspection, events: [] });
  return attachmentId;
}

/** A text, inspected: in UTF-8 it goes as it is. */
async function addText(fixture: Fixture, encoding: string): Promise<string> {
  const { deps, tenantId, sessionId } = fixture;
  const shown = { kind: 'text', mimeType: 'text/plain' } as const;
  const { attachmentId } = await createAttachment(deps.db, fixture, shown);
  const inspection = { status: 'ready', ...shown, facts: { encoding, hasByteOrderMark: false }, warnings: [] } as const;
  const settled = { tenantId, sessionId, attachmentId, eventId: randomUUID(), events: [] };
  await settleInspection(deps.db, { ...settled, inspection: { ...inspection, warnings: [] } });
  fixture.takePublished();
  return attachmentId;
}

it('accepts a message for an agent: one delivery, told in the log and to the agent’s gateway, and the answer is kept', async () => {
  const { deps, caller, sessionId, agentId, keep, kept, readEvents, takePublished } = await openFixture();
  const sent = await sendMessage(deps, caller, sessionId, draftTo(agentId), keep);
  expect(sent.deliveries).toMatchObject([{ status: 'prepared', attempts: 1, plan: { decision: 'deliver' } }]);
  expect(kept).toEqual([sent]);
  expect(takePublished()).toEqual(['delivery.prepared']);
  const data = { messageId: sent.message.id, deliveryIds: sent.deliveries.map(({ id }) => id) };
  expect(await readEvents()).toMatchObject([
    { kind: 'message.accepted', data },
    { kind: 'delivery.prepared', actor: { type: 'service', id: 'ingest' } },
  ]);
});

it('prepares at once what goes as it is, and has the projector make the rest [AT-28]', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, keep, takePublished } = fixture;
  const send = async (encoding: string) => {
    const attachmentId = await addText(fixture, encoding);
    const sent = await sendMessage(
      deps,
      caller,
      sessionId,
      { ...draftTo(agentId), attachmentIds: [attachmentId] },
      keep,
    );
    const [delivery] = sent.deliveries;
    if (!delivery) throw new Error('nobody gets it');
    return { delivery, row: await readRow(fixture, uuidFromId(delivery.id)), published: takePublished() };
  };
  const asItIs = await send('utf-8');
  expect(asItIs).toMatchObject({ delivery: { status: 'prepared' }, published: ['delivery.prepared'] });
  expect(asItIs.delivery.timeline.map(({ status, actor }) => [status, actor])).toEqual([
    ['queued', caller.actor],
    ['prepared', { type: 'service', id: 'ingest' }],
  ]);
  const [item] = asItIs.delivery.plan.items;
  expect(asItIs.row.parts).toMatchObject([
    { type: 'text', text: expect.stringContaining(`hello\n[attachment id=${item?.attachmentId}`) },
    { type: 'text-file', bytes: { attachmentId: item?.attachmentId } },
  ]);
  const made = await send('utf-16le');
  expect(made).toMatchObject({ delivery: { status: 'queued' }, row: { parts: null }, published: ['delivery.queued'] });
  expect(made.delivery.timeline.map(({ status }) => status)).toEqual(['queued']);
});

it('plans again where a file changes while a message is accepted', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, keep } = fixture;
  const attachmentId = await addText(fixture, 'utf-8');
  let accepted = 0;
  const call: typeof deps.db.call = async (statement, options) => {
    if (!JSON.stringify(statement).includes('attache_accept_message')) return deps.db.call(statement, options);
    accepted += 1;
    return accepted === 1 ? ({ outcome: 'attachment-changed' } as never) : deps.db.call(statement, options);
  };
  const db = { ...deps.db, call };
  const sent = await sendMessage(
    { ...deps, db },
    caller,
    sessionId,
    { ...draftTo(agentId), attachmentIds: [attachmentId] },
    keep,
  );
  expect([accepted, sent.deliveries[0]?.status]).toEqual([2, 'prepared']);
});

it.each([
  ['without words and files', 'INVALID_REQUEST', (agentId: string) => ({ ...draftTo(agentId), text: '  ' })],
  ['to an agent that is not there', 'AGENT_NOT_FOUND', () => draftTo(randomUUID())],
  [
    'with a file that is not there',
    'ATTACHMENT_NOT_FOUND',
    (agentId: string) => ({ ...draftTo(agentId), attachmentIds: [randomUUID()] }),
  ],
])('refuses a message %s, and keeps nothing of it', async (_title, code, makeDraft) => {
  const { deps, caller, sessionId, agentId, keep, kept, readEvents } = await openFixture();
  await expect(sendMessage(deps, caller, sessionId, makeDraft(agentId), keep)).rejects.toMatchObject({ code });
  expect([kept, await readEvents()]).toEqual([[], []]);
});

it('refuses a message to a session that has ended, and knows none of another tenant', async () => {
  const { deps, caller, tenantId, sessionId, agentId, keep } = await openFixture();
  const foreign = callerOf((await openFixture()).tenantId);
  await expect(sendMessage(deps, foreign, sessionId, draftTo(agentId), keep)).rejects.toMatchObject({
    code: 'SESSION_NOT_FOUND',
  });
  await deps.db.asTenant(tenantId, (tx) => markEnded(tx, sessionId));
  const late = sendMessage(deps, caller, sessionId, draftTo(agentId), keep);
  await expect(late).rejects.toMatchObject({ code: 'SESSION_ENDED' });
});

it('refuses a message whole where an agent cannot take a file, and says why [DL-21]', async () => {
  const fixture = await openFixture();
  const { deps, caller, sessionId, agentId, keep, kept, readEvents } = fixture;
  const draft = { ...draftTo(agentId), attachmentIds: [await addUnusable(fixture)] };
  const before = await readEvents();
  const sent = sendMessage(deps, caller, sessionId, draft, keep);
  await expect(sent).rejects.toMatchObject({
    code: 'DELIVERY_BLOCKED',
    details: { failures: [{ severity: 'error' }], plans: [{ decision: 'blocked' }] },
  });
  expect([kept, await readEvents()]).toEqual([[], before]);
});

it('asks for the right to override what is not known', async () => {
  const { deps, tenantId, sessionId, agentId, keep } = await openFixture();
  const caller = callerOf(tenantId, { rights: new Set(['messages:send']) });
  const sent = sendMessage(deps, caller, sessionId, { ...draftTo(agentId), isUnknownOverridden: true }, keep);
  await expect(sent).rejects.toMatchObject({ code: 'FORBIDDEN' });
});

it('delivers to each agent that it names, in that order', async () => {
  const { deps, caller, sessionId, agentId, keep } = await openFixture();
  const target = { profile: 'words' };
  const other = await addAgent(deps, caller, sessionId, { name: 'other', role: 'member', target }, keep);
  const sent = await sendMessage(deps, caller, sessionId, draftTo(uuidFromId(other.id), agentId), keep);
  expect(sent.deliveries.map((delivery) => delivery.agentId)).toEqual([other.id, idFromUuid('agent', agentId)]);
});

it('refuses a message once the tokens of the day are used, until the next day in UTC, and asks the database no more often for it', async () => {
  const { deps, caller, tenantId, sessionId, agentId, keep, readEvents } = await openFixture();
  const { db, take } = countRoundTrips(deps.db);
  const send = () => sendMessage({ ...deps, db }, caller, sessionId, draftTo(agentId), keep);
  const limit = (tokensPerDay: number | null) =>
    deps.db.asTenant(tenantId, (tx) => setTenantLimits(tx, { tokensPerDay }));
  // Whichever day it is to the database, also a moment before midnight.
  const days = [0, 1].map((shift) => new Date(Date.now() + shift * 86_400_000).toISOString().slice(0, 10));
  const counts = { requests: 1, uncountedRequests: 0, inputTokens: 90, cachedInputTokens: 80, outputTokens: 10 };
  const uses = days.map((day) => ({ day, sessionId, agentId, provider: 'p', model: 'm', ...counts }));
  await deps.db.asTenant(tenantId, (tx) => addUse(tx, { uses, today: days[0] ?? '' }, () => {}));

  await limit(101);
  take();
  await send();
  expect(take()).toBe(2);
  await limit(100);
  const { length } = await readEvents();
  await expect(send()).rejects.toMatchObject({
    ...{ code: 'QUOTA_EXCEEDED', retryable: true, message: expect.stringContaining('100 of 100 tokens') },
    details: { retryAfterSeconds: expect.toSatisfy((seconds: number) => seconds >= 1 && seconds <= 86_400) },
  });
  // Before any file is stored that comes with it.
  await expect(checkDraft(deps, caller, sessionId, draftTo(agentId))).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  expect(await readEvents()).toHaveLength(length);
  await limit(0);
  await expect(send()).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED' });
  await limit(null);
  await send();
});
