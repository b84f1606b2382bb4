import { randomUUID } from 'node:crypto';
import { idFromUuid, profileSchema, type Target } from '@attache/contracts';
import { insertContradiction, saveProbe, settleInspection } from '@attache/database';
import { countRoundTrips, createAgent, createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { planMessage } from './plan-message.ts';

it('plans a draft once for each agent that it names, and changes nothing', async () => {
  const { deps, caller, sessionId, agentId, readEvents, takePublished } = await openFixture();
  const draft = { to: [agentId, agentId], text: 'hello', attachmentIds: [] };
  const { plans } = await planMessage(deps, caller, sessionId, draft);
  expect(plans).toMatchObject([{ agentId: idFromUuid('agent', agentId), decision: 'deliver', items: [] }]);
  expect([await readEvents(), takePublished()]).toEqual([[], []]);
});

it('knows no agent and no file of another session', async () => {
  const [{ deps, caller, sessionId, agentId }, other] = [await openFixture(), await openFixture()];
  const foreign = await createAttachment(deps.db, other);
  const asks = [
    [{ to: [other.agentId], text: 'a', attachmentIds: [] }, 'AGENT_NOT_FOUND'],
    [{ to: [agentId], text: 'a', attachmentIds: [foreign.attachmentId] }, 'ATTACHMENT_NOT_FOUND'],
    [{ to: [randomUUID()], text: 'a', attachmentIds: [] }, 'AGENT_NOT_FOUND'],
  ] as const;
  for (const [draft, code] of asks)
    await expect(planMessage(deps, caller, sessionId, draft)).rejects.toMatchObject({ code });
  const nowhere = planMessage(deps, caller, randomUUID(), { to: [agentId], text: 'a', attachmentIds: [] });
  await expect(nowhere).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
});

/** A draft with a picture for an agent of this target. */
async function draftPicture({ deps, tenantId, sessionId }: Fixture, target: Target) {
  const agentId = await createAgent(deps.db, { tenantId, sessionId }, target);
  const { attachmentId } = await createAttachment(deps.db, { tenantId, sessionId });
  const facts = { width: 8, height: 8 };
  const inspection = { status: 'ready' as const, kind: 'image' as const, mimeType: 'image/png', facts, warnings: [] };
  const eventId = randomUUID();
  await settleInspection(deps.db, { tenantId, sessionId, attachmentId, eventId, inspection, events: [] });
  return { to: [agentId], text: 'look', attachmentIds: [attachmentId] };
}

/** A profile whose program nobody knows and nobody has asked. */
async function offerUnasked() {
  const fixture = await openFixture();
  const profile = `unasked-${randomUUID()}`;
  const given = profileSchema.parse({ runtime: 'acp', command: ['/opt/unasked'], capability: { image: true } });
  const settings = { ...fixture.deps.settings, limits: { probeMs: 30_000 } };
  const deps = { ...fixture.deps, profiles: { [profile]: given }, settings };
  const draft = await draftPicture(fixture, { profile, runtime: 'acp', provider: 'someone', model: 'm' });
  return { ...fixture, deps, profile, draft };
}

it('waits for a program that nobody has asked yet, and plans by its answer [BX-19 DL-52]', async () => {
  const { deps, caller, sessionId, profile, draft } = await offerUnasked();
  const rest = { audio: false, embeddedContext: false };
  const planned = planMessage(deps, caller, sessionId, draft);
  await saveProbe(deps.db, { profile, programVersion: '1', declared: { image: true, ...rest } });
  expect((await planned).plans).toMatchObject([{ decision: 'deliver', items: [{ becomes: 'native' }] }]);
  await saveProbe(deps.db, { profile, programVersion: '2', declared: { image: false, ...rest } });
  expect((await planMessage(deps, caller, sessionId, draft)).plans).toMatchObject([{ decision: 'blocked' }]);
});

it('says that a program could not be asked, after a limited wait', async () => {
  const { deps, caller, sessionId, draft } = await offerUnasked();
  const settings = { ...deps.settings, limits: { probeMs: 1 } };
  const { plans } = await planMessage({ ...deps, settings }, caller, sessionId, draft);
  // The time for its program is over: nobody waits for it again.
  const again = await planMessage(deps, caller, sessionId, draft);
  expect(again.plans).toMatchObject([{ decision: 'blocked' }]);
  const userMessage = expect.stringContaining('its program was not found, did not start, or was not asked yet');
  expect(plans).toMatchObject([
    { decision: 'blocked', failures: [{ code: 'attachment_runtime_unsupported', userMessage }] },
  ]);
});

it('takes no way that is contradicted, and says what was seen; with no further round trip [DL-58]', async () => {
  const fixture = await openFixture();
  const { deps, caller, tenantId, sessionId } = fixture;
  const target = { profile: 'example', runtime: 'acp', provider: 'example', model: 'example-vision' } as const;
  const draft = await draftPicture(fixture, target);
  const { db, take } = countRoundTrips(deps.db);
  const plan = async () => {
    const { plans } = await planMessage({ ...deps, db }, caller, sessionId, draft);
    return { plan: plans[0], roundTrips: take() };
  };
  const before = await plan();
  expect(before.plan).toMatchObject({ decision: 'deliver', items: [{ becomes: 'native' }] });
  const image = { row: 'acp example', kind: 'image', programVersion: '', note: 'It was dropped.' } as const;
  await deps.db.asTenant(tenantId, (tx) => insertContradiction(tx, { tenantId, ...image }));
  const after = await plan();
  expect(after.roundTrips).toBe(before.roundTrips);
  expect(after.plan).toMatchObject({
    decision: 'blocked',
    items: [{ becomes: 'blocked', checks: { transport: 'no', model: 'yes' } }],
    failures: [{ code: 'attachment_runtime_unsupported', userMessage: expect.stringContaining(image.note) }],
  });
});
