import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { makeSamples } from './src/files.ts';
import { converse, openPlace, type Place, takeTurn, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const [png] = await makeSamples();
if (png === undefined) throw new Error('there is no picture');
let stack: AgentsStack;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes, { turnMs: 8_000 });
});
afterAll(() => stack?.stop());

describe.each(runtimes)('a model server that cannot be reached, by $key', (runtime) => {
  let place: Place;
  beforeAll(async () => {
    place = await openPlace(stack.api, runtime.key, runtime.model);
    await converse(stack.api, place, 'Hello.');
  });

  it('because it never answers: the turn ends in its time, and the next one is answered [DL-61 DL-84]', async () => {
    const file = await uploadSample(stack.api, place, png);
    stack.stub.script(() => ({ hang: true }));
    const sent = await takeTurn(stack.api, place, 'Look.', [file.id]);
    expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { code: 'delivery_turn_timeout' } } });
    stack.stub.script(() => ({ text: 'fine' }));
    await converse(stack.api, place, 'And now?');
  });

  it('because it cuts the connection: the delivery fails by a code, and the session goes on [DL-05 DL-84]', async () => {
    stack.stub.script(() => ({ reset: true }));
    const sent = await takeTurn(stack.api, place, 'Words.');
    // Some try again for longer than a turn may take.
    const code = expect.stringMatching(/^delivery_(runtime_transport_failed|turn_timeout)$/);
    expect(sent).toMatchObject({ delivery: { status: 'failed', failure: { code } } });
    stack.stub.script(() => ({ text: 'fine' }));
    await converse(stack.api, place, 'And now?');
  });
});
