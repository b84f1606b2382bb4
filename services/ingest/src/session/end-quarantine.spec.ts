import { randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import { endSession, type Inspection, saveQuarantined, settleInspection } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { planMessage } from '../message/plan-message.ts';
import { endQuarantine } from './end-quarantine.ts';
import { retargetAgent } from './retarget-agent.ts';

/** A fixture whose agent has a picture in quarantine. */
async function openQuarantine() {
  const fixture = await openFixture();
  const { deps, tenantId, sessionId, agentId } = fixture;
  const { attachmentId } = await createAttachment(deps.db, fixture);
  const id = idFromUuid('attachment', attachmentId);
  const part = { wireSha256: 'c'.repeat(64), code: 'image_invalid', isGroup: false, attachmentId: id };
  await deps.db.asTenant(tenantId, (tx) =>
    saveQuarantined(tx, { tenantId, sessionId, agentId, targetVersion: 1 }, [part]),
  );
  const ended = {
    kind: 'attachment.quarantine_ended',
    data: { attachmentId: id, agentId: idFromUuid('agent', agentId) },
  };
  return { fixture, attachmentId, ended };
}

const readEnded = async ({ readEvents }: Fixture) =>
  (await readEvents()).filter(({ kind }) => kind === 'attachment.quarantine_ended');

async function inspect({ deps, tenantId, sessionId }: Fixture, attachmentId: string): Promise<void> {
  const facts = { width: 8, height: 6, hasAlpha: false };
  const inspection: Inspection = { status: 'ready', mimeType: 'image/png', kind: 'image', facts, warnings: [] };
  const settled = { tenantId, sessionId, attachmentId, inspection, eventId: randomUUID(), events: [] };
  await settleInspection(deps.db, settled);
}

it('lets a file be sent again, once, and says so for each agent [BX-02]', async () => {
  const { fixture, attachmentId, ended } = await openQuarantine();
  const { deps, caller, sessionId } = fixture;
  const end = () => endQuarantine(deps, caller, { sessionId, attachmentId });
  await end();
  await end();
  expect(await readEnded(fixture)).toMatchObject([ended]);
});

it('knows no file and no session of others, and changes none that has ended', async () => {
  const [{ fixture, attachmentId }, other] = [await openQuarantine(), await openFixture()];
  const { deps, caller, tenantId, sessionId } = fixture;
  const foreign = endQuarantine(deps, other.caller, { sessionId, attachmentId });
  await expect(foreign).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' });
  const misplaced = endQuarantine(other.deps, other.caller, { sessionId: other.sessionId, attachmentId });
  await expect(misplaced).rejects.toMatchObject({ code: 'ATTACHMENT_NOT_FOUND' });
  await deps.db.asTenant(tenantId, (tx) => endSession(tx, sessionId));
  const late = endQuarantine(deps, caller, { sessionId, attachmentId });
  await expect(late).rejects.toMatchObject({ code: 'SESSION_ENDED' });
  expect(await readEnded(fixture)).toEqual([]);
});

it('ends with the target whose model refused the file [BX-02]', async () => {
  const { fixture, ended } = await openQuarantine();
  const { deps, caller, sessionId, agentId } = fixture;
  await retargetAgent(deps, caller, { sessionId, agentId, target: { profile: 'words' } });
  expect(await readEnded(fixture)).toMatchObject([ended]);
});

it('is the reason in the plan of a message, also for the same bytes under another id [BX-02]', async () => {
  const { fixture, attachmentId } = await openQuarantine();
  const { deps, caller, sessionId, agentId } = fixture;
  const [same, other] = [
    await createAttachment(deps.db, fixture),
    await createAttachment(deps.db, fixture, { sha256: 'd'.repeat(64) }),
  ];
  const attachmentIds = [attachmentId, same.attachmentId, other.attachmentId];
  for (const id of attachmentIds) await inspect(fixture, id);
  const draft = { to: [agentId], text: '', attachmentIds };
  const reasons = async () =>
    (await planMessage(deps, caller, sessionId, draft)).plans[0]?.items.map(({ reason }) => reason === 'quarantined');
  expect(await reasons()).toEqual([true, true, false]);
  await endQuarantine(deps, caller, { sessionId, attachmentId });
  expect(await reasons()).toEqual([false, false, false]);
});
