import { idFromUuid } from '@attache/contracts';
import { createAttachment, createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
import type { OutputSink } from '../output/output-sink.ts';
import { createToolGate } from './tool-gate.ts';

function openGate(fixture: Fixture, allowsOwnTools = true) {
  const { deps, session, agentId } = fixture;
  const sink = { session, agentId, currentTurn: () => undefined } as unknown as OutputSink;
  return createToolGate(deps, sink, allowsOwnTools);
}

const callOf = (input: unknown, callId = 'call-1') => ({
  callId,
  tool: 'read',
  title: 'Read',
  input,
  isAttache: false,
});
const toolEvents = async (fixture: Fixture) =>
  (await fixture.readEvents()).filter(({ kind }) => kind.startsWith('tool.'));

it('lets a call pass that names what was granted, and says so once though it is asked twice', async () => {
  const fixture = await openFixture();
  const { attachmentId } = await createAttachment(fixture.deps.db, fixture);
  await createDelivery(fixture.deps.db, fixture, [attachmentId]);
  const gate = openGate(fixture);
  const call = callOf({ path: `/tmp/${idFromUuid('attachment', attachmentId)}/a.png` });
  expect([await gate.decide(call), await gate.decide(call)]).toEqual([{ decision: 'allow' }, { decision: 'allow' }]);
  expect(await toolEvents(fixture)).toMatchObject([{ kind: 'tool.called', data: { callId: 'call-1', tool: 'read' } }]);
  expect([gate.takeCalled('call-1'), gate.takeCalled('call-1')]).toEqual(['read', undefined]);
});

it('stops a call that names the file of another session, and says why [S2]', async () => {
  const [fixture, other] = [await openFixture(), await openFixture()];
  const { attachmentId } = await createAttachment(other.deps.db, other);
  const decision = await openGate(fixture).decide(callOf([{ deep: { id: idFromUuid('attachment', attachmentId) } }]));
  expect(decision).toMatchObject({ decision: 'deny' });
  expect(await toolEvents(fixture)).toMatchObject([{ kind: 'tool.blocked', data: { callId: 'call-1' } }]);
});

it('stops every tool of the program itself where its profile allows it none', async () => {
  const fixture = await openFixture();
  const gate = openGate(fixture, false);
  expect(await gate.decide(callOf({}))).toMatchObject({ decision: 'deny' });
  expect(await gate.decide({ ...callOf({}, 'call-2'), isAttache: true })).toEqual({ decision: 'allow' });
});
