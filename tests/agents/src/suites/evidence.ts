import { describe, expect, it } from 'vitest';
import { type Driven, eventsOf, type Suite } from '../driven.ts';
import { png } from '../files.ts';
import { usage } from '../stub/dialect.ts';
import type { ModelRequest } from '../stub/model-request.ts';
import { converse, type Place, uploadSample } from '../take-turn.ts';

/** What a model can only say of the very bytes that it got. */
const describeSeen = ({ newAttachments }: ModelRequest) =>
  `I see ${newAttachments.map(({ mimeType, sha256 }) => `${mimeType} ${sha256}`).join(', ')}.`;

async function run(driven: Driven, place: Place) {
  const { stack } = driven;
  stack.stub.script((request) => ({ text: describeSeen(request) }));
  const file = await uploadSample(stack.api, place, png);
  const { id, receipt } = await converse(stack.api, place, 'What do you see?', [file.id]);
  const said = (await eventsOf(driven, place, 'agent.output'))
    .filter(({ data }) => data.deliveryId === id)
    .map(({ data }) => data.item as { type: string; text?: string });
  const answer = said.flatMap((item) => (item.type === 'text' ? [item.text] : [])).join('');
  return { answer, receipt };
}

export const describeEvidence: Suite = (runtime, use) => {
  describe(`a run of ${runtime.key}, from the upload to the model and back`, () => {
    it('leaves an answer that rests on the file, a receipt of the same bytes and what the provider counted; again, in another process, the same [SR-27]', async () => {
      const driven = use();
      const { answer, receipt } = await run(driven, driven.patient);
      expect(answer).toBe(`I see image/png ${png.sha256}.`);
      expect(receipt?.items).toMatchObject([{ sha256: png.sha256, form: 'native', verdict: 'delivered' }]);
      expect(receipt?.usage).toMatchObject(usage);
      expect(await run(driven, driven.hasty)).toMatchObject({ answer, receipt: { usage: receipt?.usage } });
    });
  });
};
