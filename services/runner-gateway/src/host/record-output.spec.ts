import type { DriverOutput } from '@attache/agent-process';
import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import { openScene, type Scene } from '../__fixtures__/open-scene.ts';
import { createToolGate } from '../gate/tool-gate.ts';
import { type OutputSink, openTurn, type RunningTurn } from '../output/output-sink.ts';
import { createDriverHooks } from './record-output.ts';

const deliveryId = idFromUuid('delivery', '33333333-3333-4333-8333-333333333333');
const turn = openTurn({ deliveryId, trace: undefined });
/** A PNG of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);

function listen(scene: Scene, currentTurn: () => RunningTurn | undefined = () => turn) {
  const sink: OutputSink = { session: scene.session, agentId: scene.agentId, currentTurn };
  return createDriverHooks(scene.deps, sink, createToolGate(scene.deps, sink, true));
}

const readItems = async (scene: Scene) =>
  (await scene.readEvents()).flatMap((event) => (event.kind === 'agent.output' ? [event.data] : []));

it('takes what an agent says into the log, with the delivery whose turn runs', async () => {
  const scene = await openScene();
  await listen(scene).onOutput({ type: 'text', text: 'hello' });
  await listen(scene, () => undefined).onOutput({ type: 'thought', text: 'hm' });
  const agentId = idFromUuid('agent', scene.agentId);
  expect(await readItems(scene)).toEqual([
    { agentId, deliveryId, item: { type: 'text', text: 'hello' } },
    { agentId, item: { type: 'thought', text: 'hm' } },
  ]);
});

it('keeps media in words as an attachment of its own, and says where it was [SR-24 AT-34]', async () => {
  const scene = await openScene();
  const text = `look: data:image/png;base64,${pixel.toString('base64')} there`;
  await listen(scene).onOutput({ type: 'text', text });
  const [said] = await readItems(scene);
  expect(said?.item).toMatchObject({
    text: expect.stringMatching(/^look: \[attachment id=att_.* type=image\/png .*\] there$/),
  });
  const added = (await scene.readEvents()).find(({ kind }) => kind === 'attachment.added');
  expect(added).toMatchObject({ data: { origin: 'agent', sizeBytes: pixel.length } });
});

it('keeps media that comes as such, and only says of what is too large how large it was', async () => {
  const scene = await openScene();
  const media = (bytes: Buffer): DriverOutput => ({ type: 'media', mimeType: 'image/png', bytes });
  await listen(scene).onOutput(media(pixel));
  await listen(scene).onOutput(media(Buffer.alloc(1_001)));
  const items = (await readItems(scene)).map(({ item }) => item);
  expect(items).toMatchObject([
    { type: 'media', mimeType: 'image/png' },
    { type: 'text', text: '[removed image/png of 1001 bytes, more than an output may have]' },
  ]);
});

it('says what became of a tool call that was let pass, once', async () => {
  const scene = await openScene();
  const hooks = listen(scene);
  const call = { callId: 'call-1', tool: 'read', title: 'Read' };
  await hooks.onToolCall({ ...call, input: {} });
  for (const status of ['completed', 'completed']) await hooks.onOutput({ type: 'tool-call', ...call, status });
  const events = (await scene.readEvents()).map(({ kind }) => kind);
  expect(events).toEqual(['tool.called', 'agent.output', 'tool.completed', 'agent.output']);
});

it('sends what is being said to those who follow, and stores none of it', async () => {
  const scene = await openScene();
  const hooks = listen(scene);
  hooks.onDelta({ type: 'text', text: 'he said: ' });
  hooks.onDelta({ type: 'text', text: 'hello' });
  const agentId = idFromUuid('agent', scene.agentId);
  const sent = scene.deltas.filter((delta) => (delta as { agentId: string }).agentId === agentId);
  expect(sent.map((delta) => (delta as { text: string }).text).join('')).toBe('he said: hello');
  expect(await scene.readEvents()).toEqual([]);
});
