import { idFromUuid } from '@attache/contracts';
import { createAttachment, createDelivery } from '@attache/database/contract';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../__fixtures__/open-scene.ts';
import type { OutputSink } from '../output/output-sink.ts';
import { createToolGate } from './tool-gate.ts';

function openGate(scene: Scene, allowsOwnTools = true) {
  const { deps, session, agentId } = scene;
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
const toolEvents = async (scene: Scene) => (await scene.readEvents()).filter(({ kind }) => kind.startsWith('tool.'));

it('lets a call pass that names what was granted, and says so once though it is asked twice', async () => {
  const scene = await openScene();
  const { attachmentId } = await createAttachment(scene.deps.db, scene);
  await createDelivery(scene.deps.db, scene, [attachmentId]);
  const gate = openGate(scene);
  const call = callOf({ path: `/tmp/${idFromUuid('attachment', attachmentId)}/a.png` });
  expect([await gate.decide(call), await gate.decide(call)]).toEqual([{ decision: 'allow' }, { decision: 'allow' }]);
  expect(await toolEvents(scene)).toMatchObject([{ kind: 'tool.called', data: { callId: 'call-1', tool: 'read' } }]);
  expect([gate.takeCalled('call-1'), gate.takeCalled('call-1')]).toEqual(['read', undefined]);
});

it('stops a call that names the file of another session, and says why [S2]', async () => {
  const [scene, other] = [await openScene(), await openScene()];
  const { attachmentId } = await createAttachment(other.deps.db, other);
  const decision = await openGate(scene).decide(callOf([{ deep: { id: idFromUuid('attachment', attachmentId) } }]));
  expect(decision).toMatchObject({ decision: 'deny' });
  expect(await toolEvents(scene)).toMatchObject([{ kind: 'tool.blocked', data: { callId: 'call-1' } }]);
});

it('stops every tool of the program itself where its profile allows it none', async () => {
  const scene = await openScene();
  const gate = openGate(scene, false);
  expect(await gate.decide(callOf({}))).toMatchObject({ decision: 'deny' });
  expect(await gate.decide({ ...callOf({}, 'call-2'), isAttache: true })).toEqual({ decision: 'allow' });
});
