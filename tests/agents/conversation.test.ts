import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { makeSamples } from './src/files.ts';
import type { ModelRequest } from './src/stub/model-request.ts';
import type { ModelReply } from './src/stub/model-stub.ts';
import { converse, openPlace, type Place, takeTurn, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const [png, jpeg] = await makeSamples();
if (png === undefined || jpeg === undefined) throw new Error('there are no pictures');
let stack: AgentsStack;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes, { idleStopMs: 300 });
});
afterAll(() => stack?.stop());

const eventsOf = async ({ session }: Place, kind: string) =>
  (await stack.api.events(session.id)).filter((event) => event.kind === kind);
const digestsOf = ({ attachments }: ModelRequest) => [...new Set(attachments.map(({ sha256 }) => sha256))];

/** Lets the model answer so, and tells what it was asked. Errands to other models get an answer of their own. */
function listen(model: string, answer: () => ModelReply = () => ({ text: 'yes' })): ModelRequest[] {
  const asked: ModelRequest[] = [];
  stack.stub.script((request) => {
    if (request.model !== model) return { text: 'ok' };
    asked.push(request);
    return answer();
  });
  return asked;
}

describe.each(runtimes)('a conversation with $key', (runtime) => {
  it('goes on in a second turn, and in a later process where the runtime can [DL-02 DL-05 DL-82 DL-83]', async () => {
    const asked = listen(runtime.model);
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const first = await uploadSample(stack.api, place, png);
    await converse(stack.api, place, 'First look.', [first.id]);
    await converse(stack.api, place, 'And now, without a file.');
    expect(asked.at(-1)?.lastUserText).toContain('And now, without a file.');
    expect(asked.at(-1)?.newAttachments).toEqual([]);
    expect(digestsOf(asked.at(-1) as ModelRequest)).toEqual([png.sha256]);
    expect(await eventsOf(place, 'agent.started')).toHaveLength(1);

    await expect.poll(() => eventsOf(place, 'agent.stopped'), { timeout: 20_000 }).toHaveLength(1);
    expect((await eventsOf(place, 'agent.stopped'))[0]?.data).toMatchObject({ reason: 'idle' });
    const second = await uploadSample(stack.api, place, jpeg);
    await converse(stack.api, place, 'After a rest.', [second.id]);
    expect(await eventsOf(place, 'agent.started')).toHaveLength(2);
    const remembered = runtime.isResumable ? [png.sha256, jpeg.sha256] : [jpeg.sha256];
    expect(digestsOf(asked.at(-1) as ModelRequest).toSorted()).toEqual(remembered.toSorted());
  });

  it('is interrupted over HTTP: the turn ends as cancelled, and the next one is answered [DL-61]', async () => {
    const asked = listen(runtime.model, () => ({ hang: true }));
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const sent = takeTurn(stack.api, place, 'Think for ever.');
    await expect.poll(() => asked.length, { timeout: 30_000 }).toBe(1);
    const body = { agentId: place.agent.id };
    expect((await stack.api.call('POST', `/sessions/${place.session.id}/interrupt`, { body })).status).toBe(202);
    expect(await sent).toMatchObject({
      delivery: { status: 'responded', receipt: { proof: expect.stringMatching(/cancel|interrupted|error_during/) } },
    });
    listen(runtime.model);
    await converse(stack.api, place, 'Still there?');
    expect(await eventsOf(place, 'agent.started')).toHaveLength(1);
  });

  it('takes what is sent during a turn: all of it is answered, each message once [DL-52 DL-82]', async () => {
    const asked = listen(runtime.model);
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const file = await uploadSample(stack.api, place, png);
    const turns = await Promise.all([
      takeTurn(stack.api, place, 'one'),
      takeTurn(stack.api, place, 'two', [file.id]),
      takeTurn(stack.api, place, 'three'),
    ]);
    for (const turn of turns) expect(turn).toMatchObject({ delivery: { status: 'responded' } });
    const said = asked.at(-1)?.texts.join('\n') ?? '';
    for (const word of ['one', 'two', 'three']) expect(said).toMatch(new RegExp(`(^|\\n)${word}`));
    expect(digestsOf(asked.at(-1) as ModelRequest)).toEqual([png.sha256]);
  });
});
