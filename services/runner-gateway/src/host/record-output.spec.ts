import type { DriverOutput } from '@attache/agent-process';
import { idFromUuid } from '@attache/contracts';
import { expect, it } from 'vitest';
import { type Fixture, openFixture } from '../__fixtures__/open-fixture.ts';
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

function listen(fixture: Fixture, currentTurn: () => RunningTurn | undefined = () => turn) {
  const sink: OutputSink = { session: fixture.session, agentId: fixture.agentId, currentTurn };
  return createDriverHooks(fixture.deps, sink, createToolGate(fixture.deps, sink, true));
}

const readItems = async (fixture: Fixture) =>
  (await fixture.readEvents()).flatMap((event) => (event.kind === 'agent.output' ? [event.data] : []));

it('takes what an agent says into the log, with the delivery whose turn runs', async () => {
  const fixture = await openFixture();
  await listen(fixture).onOutput({ type: 'text', text: 'hello' });
  await listen(fixture, () => undefined).onOutput({ type: 'thought', text: 'hm' });
  const agentId = idFromUuid('agent', fixture.agentId);
  expect(await readItems(fixture)).toEqual([
    { agentId, deliveryId, item: { type: 'text', text: 'hello' } },
    { agentId, item: { type: 'thought', text: 'hm' } },
  ]);
});

it('keeps media in words as an attachment of its own, and says where it was [SR-24 AT-34]', async () => {
  const fixture = await openFixture();
  const text = `look: data:image/png;base64,${pixel.toString('base64')} there`;
  await listen(fixture).onOutput({ type: 'text', text });
  const [said] = await readItems(fixture);
  expect(said?.item).toMatchObject({
    text: expect.stringMatching(/^look: \[attachment id=att_.* type=image\/png .*\] there$/),
  });
  const added = (await fixture.readEvents()).find(({ kind }) => kind === 'attachment.added');
  expect(added).toMatchObject({ data: { origin: 'agent', sizeBytes: pixel.length } });
});

it('keeps media that comes as such, and only says of what is too large how large it was', async () => {
  const fixture = await openFixture();
  const media = (bytes: Buffer): DriverOutput => ({ type: 'media', mimeType: 'image/png', bytes });
  await listen(fixture).onOutput(media(pixel));
  await listen(fixture).onOutput(media(Buffer.alloc(1_001)));
  const items = (await readItems(fixture)).map(({ item }) => item);
  expect(items).toMatchObject([
    { type: 'media', mimeType: 'image/png' },
    { type: 'text', text: '[removed image/png of 1001 bytes, more than an output may have]' },
  ]);
});

it('says what became of a tool call that was let pass, once', async () => {
  const fixture = await openFixture();
  const hooks = listen(fixture);
  const call = { callId: 'call-1', tool: 'read', title: 'Read' };
  await hooks.onToolCall({ ...call, input: {} });
  for (const status of ['completed', 'completed']) await hooks.onOutput({ type: 'tool-call', ...call, status });
  const events = (await fixture.readEvents()).map(({ kind }) => kind);
  expect(events).toEqual(['tool.called', 'agent.output', 'tool.completed', 'agent.output']);
});

it('sends what is being said to those who follow, and stores none of it', async () => {
  const fixture = await openFixture();
  const hooks = listen(fixture);
  hooks.onDelta({ type: 'text', text: 'he said: ' });
  hooks.onDelta({ type: 'text', text: 'hello' });
  const agentId = idFromUuid('agent', fixture.agentId);
  const sent = fixture.deltas.filter((delta) => (delta as { agentId: string }).agentId === agentId);
  expect(sent.map((delta) => (delta as { text: string }).text).join('')).toBe('he said: hello');
  expect(await fixture.readEvents()).toEqual([]);
});
