import { idFromUuid, type Part } from '@attache/contracts';
import { deleteAttachment, setAgentTarget } from '@attache/database';
import { createAttachment } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { claimTask, type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import { noteWriting, StoppedBeforeWrite } from './note-writing.ts';
import { cancelUnwritten, type DeliveryTask } from './record-delivery.ts';

const contents = { text: () => '' };

async function claim(fixture: Fixture, attachmentIds: readonly string[] = []): Promise<DeliveryTask> {
  const task = await claimTask(fixture, attachmentIds);
  const named = attachmentIds.map((id): Part => {
    const attachmentId = idFromUuid('attachment', id);
    return { type: 'descriptor', attachmentId, text: 'a file' };
  });
  return { ...task, row: { ...task.row, parts: [...(task.row.parts ?? []), ...named] } };
}

it('notes that a byte may be out from now on', async () => {
  const fixture = await openFixture();
  const task = await claim(fixture);
  await noteWriting(fixture.deps, task, contents);
  expect((await fixture.readRow(task.row.id)).writingAt).toBeInstanceOf(Date);
});

it('stops where the delivery was cancelled meanwhile, without a failure of its own', async () => {
  const fixture = await openFixture();
  const task = await claim(fixture);
  await cancelUnwritten(fixture.deps, fixture.session, task.row);
  const noted = noteWriting(fixture.deps, task, contents);
  await expect(noted).rejects.toMatchObject({ failure: undefined });
  await expect(noted).rejects.toBeInstanceOf(StoppedBeforeWrite);
});

it('stops where the agent has another target than was planned for', async () => {
  const fixture = await openFixture();
  const { deps, tenantId, sessionId, agentId } = fixture;
  const task = await claim(fixture);
  const target = { profile: 'other', runtime: 'acp', provider: 'p', model: 'm' } as const;
  await deps.db.asTenant(tenantId, (tx) => setAgentTarget(tx, { sessionId, agentId, version: 1 }, target));
  const moved = { ...task, agent: { ...task.agent, targetVersion: 2 } };
  await expect(noteWriting(deps, moved, contents)).rejects.toMatchObject({
    failure: { code: 'delivery_target_unknown' },
  });
});

it('stops where a file was deleted meanwhile', async () => {
  const fixture = await openFixture();
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  const task = await claim(fixture, [attachmentId]);
  await fixture.deps.db.asTenant(fixture.tenantId, (tx) => deleteAttachment(tx, attachmentId));
  const failure = { code: 'attachment_missing', attachmentId: idFromUuid('attachment', attachmentId) };
  await expect(noteWriting(fixture.deps, task, contents)).rejects.toMatchObject({ failure });
});
