import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Attachment } from '@attache/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { makeSamples } from './src/files.ts';
import type { ModelRequest } from './src/stub/model-request.ts';
import { converse, openPlace, type Place, takeTurn, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const [png] = await makeSamples();
if (png === undefined) throw new Error('there is no picture');
let stack: AgentsStack;
let folder: string;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes);
  folder = await mkdtemp(join(tmpdir(), 'attache-gate-'));
});
afterAll(async () => {
  await stack?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Has the model call a tool once; answers what it was asked after that. */
function callOnce(model: string, call: { name: string; input: unknown }): ModelRequest[] {
  const after: ModelRequest[] = [];
  let isCalled = false;
  stack.stub.script((request) => {
    if (request.model !== model) return { text: 'ok' };
    if (isCalled) {
      after.push(request);
      return { text: 'done' };
    }
    isCalled = true;
    return { toolCalls: [call] };
  });
  return after;
}

const eventsOf = async ({ session }: Place, kind: string) =>
  (await stack.api.events(session.id)).filter((event) => event.kind === kind).map(({ data }) => data);
const readOutputs = async ({ session }: Place) =>
  (await stack.api.call<{ items: Attachment[] }>('GET', `/sessions/${session.id}/attachments?origin=tool-output`)).body
    .items;

describe.each(runtimes)('a tool call of $key', (runtime) => {
  let place: Place;
  let own: Attachment;
  let foreign: Attachment;
  beforeAll(async () => {
    const other = await openPlace(stack.api, runtime.key, runtime.model);
    foreign = await uploadSample(stack.api, other, png);
    place = await openPlace(stack.api, runtime.key, runtime.model);
    own = await uploadSample(stack.api, place, png);
  });

  it('of resource_view brings the picture back natively, and the log says so [SR-06 SR-18 SR-25 BX-17]', async () => {
    const after = callOnce(runtime.model, { name: runtime.ownTool('resource_view'), input: { attachmentId: own.id } });
    await converse(stack.api, place, 'Look again.', [own.id]);
    const shown = after[0]?.newAttachments.filter(({ where }) => where === 'tool-result');
    expect(shown).toMatchObject([{ mimeType: 'image/png', sha256: png.sha256 }]);
    expect(await eventsOf(place, 'resource.viewed')).toMatchObject([{ attachmentId: own.id }]);
  });

  it('with another session’s id never runs: no file, the reason for the model, an event [AT-30 AT-31 BX-08 BX-21 S2 A2 A5]', async () => {
    const input = { name: 'stolen.txt', mimeType: 'text/plain', text: `of ${foreign.id}` };
    const after = callOnce(runtime.model, { name: runtime.ownTool('attachment_save_output'), input });
    await converse(stack.api, place, 'Save that.');
    expect(await readOutputs(place)).toEqual([]);
    const [blocked] = await eventsOf(place, 'tool.blocked');
    expect(blocked).toMatchObject({ tool: 'attachment_save_output' });
    expect(after[0]?.toolResults.map(({ text }) => text).join()).toContain(String(blocked?.reason));
  });

  it('of its own shell with another session’s id never runs either [AT-30 AT-31 BX-21]', async () => {
    const file = join(folder, `${runtime.key}-foreign`);
    callOnce(runtime.model, runtime.shell(`touch ${file}; echo ${foreign.id}`));
    await takeTurn(stack.api, place, 'Run that.');
    expect(existsSync(file)).toBe(false);
    expect(await eventsOf(place, 'tool.blocked')).toHaveLength(2);
  });

  it('of its own shell with an id of its own runs, and the log has the call and its end [AT-29 DL-36]', async () => {
    const file = join(folder, `${runtime.key}-own`);
    callOnce(runtime.model, runtime.shell(`touch ${file}; echo ${own.id}`));
    await converse(stack.api, place, 'Run this.');
    expect(existsSync(file)).toBe(true);
    const [called] = (await eventsOf(place, 'tool.called')).slice(-1);
    expect(await eventsOf(place, 'tool.completed')).toContainEqual(
      expect.objectContaining({ callId: called?.callId, status: 'completed' }),
    );
  });
});
