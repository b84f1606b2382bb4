import { expect, it } from 'vitest';
import { type Driven, eventsOf, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { usage } from '../stub/dialects/dialect.ts';
import type { ModelRequest } from '../stub/model-request.ts';
import { converse, uploadSample } from '../take-turn.ts';

/** What a model can only say of the very bytes that it got. */
const describeSeen = ({ newAttachments }: ModelRequest) =>
  `I see ${newAttachments.map(({ mimeType, sha256 }) => `${mimeType} ${sha256}`).join(', ')}.`;

async function run(driven: Driven) {
  const { stack, place } = driven;
  stack.stub.script((request) => ({ text: describeSeen(request) }));
  const file = await uploadSample(stack.api, place, png);
  const { id, receipt } = await converse(stack.api, place, 'What do you see?', [file.id]);
  const said = (await eventsOf(driven, place, 'agent.output'))
    .filter(({ data }) => data.deliveryId === id)
    .map(({ data }) => data.item as { type: string; text?: string });
  const answer = said.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('');
  return { answer, receipt };
}

const firstRuns = new Map<string, Awaited<ReturnType<typeof run>>>();

export const describeEvidence: Suite = ({ key }, use) => {
  it(`a run of ${key}, from the upload to the model and back, leaves an answer that rests on the file, a receipt of the same bytes and what the provider counted [SR-27]`, async () => {
    const first = await run(use());
    firstRuns.set(key, first);
    expect(first.answer).toBe(`I see image/png ${png.sha256}.`);
    expect(first.receipt?.items).toMatchObject([{ sha256: png.sha256, form: 'native', verdict: 'delivered' }]);
    expect(first.receipt?.usage).toMatchObject(usage);
  });
};

/** Comes after a rest. */
export const describeEvidenceAgain: Suite = ({ key }, use) => {
  it(`a run of ${key} leaves the same again, in a later process [SR-27]`, async () => {
    const { answer, receipt } = firstRuns.get(key) ?? {};
    expect(await run(use())).toMatchObject({
      answer,
      receipt: { items: [{ sha256: png.sha256 }], usage: receipt?.usage },
    });
  });
};
