import type { TurnUsage, UseCounts } from '@attache/contracts';
import { expect, it } from 'vitest';
import { type Driven, eventsOf, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { usage } from '../stub/dialects/dialect.ts';
import type { ModelRequest } from '../stub/model-request.ts';
import { converse, uploadSample } from '../take-turn.ts';

type SessionUse = UseCounts & { sessionId: string };

/** An answer that a model can only give if it got these very bytes. */
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

/** The tokens that the program itself reports: how often it asks, and how much of it again, is another matter in a later process. */
function tokensOf({ inputTokens, outputTokens, totalTokens }: TurnUsage = {}): TurnUsage {
  return { inputTokens, outputTokens, ...(totalTokens === undefined ? {} : { totalTokens }) };
}

const firstRuns = new Map<string, Awaited<ReturnType<typeof run>>>();

export const describeEvidence: Suite = ({ key }, use) => {
  it(`a run of ${key}, from the upload to the model and back, leaves an answer that rests on the file, a receipt of the same bytes and what the provider counted [SR-27]`, async () => {
    const first = await run(use());
    firstRuns.set(key, first);
    expect(first.answer).toBe(`I see image/png ${png.sha256}.`);
    expect(first.receipt?.items).toMatchObject([{ sha256: png.sha256, form: 'native', verdict: 'delivered' }]);
    expect(first.receipt?.usage).toMatchObject({
      ...usage,
      requests: expect.any(Number),
      resentBytes: expect.any(Number),
    });
    expect(first.receipt?.usage?.requests).toBeGreaterThan(0);
  });

  it(`what ${key} has used is what its provider counted, errands included`, async () => {
    const { stack, place } = use();
    const isCounted = ({ sessionId }: SessionUse) => sessionId === place.session.id;
    const read = async () => {
      const { body } = await stack.api.call<{ items: SessionUse[] }>('GET', '/usage?by=session&limit=200');
      const { requests = 0, uncountedRequests, ...counted } = body.items.find(isCounted) ?? {};
      const { inputTokens, outputTokens } = usage;
      const expected = { inputTokens: requests * inputTokens, outputTokens: requests * outputTokens };
      return { requests, uncountedRequests, counted, expected: { ...counted, cachedInputTokens: 0, ...expected } };
    };
    await expect.poll(async () => (await read()).requests).toBeGreaterThan(0);
    const { uncountedRequests, counted, expected } = await read();
    expect(uncountedRequests).toBe(0);
    expect(counted).toEqual(expected);
  });
};

/** Comes after a rest. */
export const describeEvidenceAgain: Suite = ({ key }, use) => {
  it(`a run of ${key} leaves the same again, in a later process [SR-27]`, async () => {
    const { answer, receipt } = firstRuns.get(key) ?? {};
    expect(await run(use())).toMatchObject({
      answer,
      receipt: { items: [{ sha256: png.sha256 }], usage: tokensOf(receipt?.usage) },
    });
  });
};
