import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentsStack, listInstalled, openAgentsStack } from './src/agents-stack.ts';
import { makeSamples } from './src/files.ts';
import { usage } from './src/stub/dialect.ts';
import type { ModelRequest } from './src/stub/model-request.ts';
import { converse, openPlace, uploadSample } from './src/take-turn.ts';

const runtimes = await listInstalled(process.env);
const [png] = await makeSamples();
if (png === undefined) throw new Error('there is no picture');
let stack: AgentsStack;
beforeAll(async () => {
  stack = await openAgentsStack(runtimes);
});
afterAll(() => stack?.stop());

/** What a model can only say of the very bytes that it got. */
const describeSeen = ({ newAttachments }: ModelRequest) =>
  `I see ${newAttachments.map(({ mimeType, sha256 }) => `${mimeType} ${sha256}`).join(', ')}.`;

describe.each(runtimes)('a run of $key, from the upload to the model and back', (runtime) => {
  async function run() {
    stack.stub.script((request) => ({ text: describeSeen(request) }));
    const place = await openPlace(stack.api, runtime.key, runtime.model);
    const file = await uploadSample(stack.api, place, png as NonNullable<typeof png>);
    const { id, receipt } = await converse(stack.api, place, 'What do you see?', [file.id]);
    const said = (await stack.api.events(place.session.id))
      .filter(({ kind, data }) => kind === 'agent.output' && data.deliveryId === id)
      .map(({ data }) => data.item as { type: string; text?: string });
    const answer = said.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('');
    return { answer, receipt };
  }

  it('leaves an answer that rests on the file, a receipt of the same bytes and what the provider counted; again, the same [SR-27]', async () => {
    const { answer, receipt } = await run();
    expect(answer).toBe(`I see image/png ${png.sha256}.`);
    expect(receipt?.items).toMatchObject([{ sha256: png.sha256, form: 'native', verdict: 'delivered' }]);
    expect(receipt?.usage).toMatchObject(usage);
    expect(await run()).toMatchObject({ answer, receipt: { usage: receipt?.usage } });
  });
});
