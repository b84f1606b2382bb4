import { hash } from 'node:crypto';
import { type ByteReference, type Part, type PlanItem, receiptSchema } from '@attache/contracts';
import { composePart, type PlannableAttachment, planDelivery } from '@attache/domain';
import { anyRequest } from '@attache/domain/fixtures/any-request';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HandedBytes } from '../files/handed-out.ts';
import { composeReceipt } from './compose-receipt.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const countOf = ({ recipe }: PlanItem): number => (recipe?.purpose === 'page-images' ? recipe.pages : 1);

/** The part that the projector would have made for an item. */
function makePart(item: PlanItem, attachment: PlannableAttachment): Part {
  const references = Array.from({ length: countOf(item) }, (_, page): ByteReference => {
    const sha256 = hash('sha256', `${item.attachmentId} ${page}`);
    return { attachmentId: item.attachmentId, mimeType: attachment.mimeType, sizeBytes: page + 1, sha256 };
  });
  return composePart(item, attachment, references);
}

const turnWith = (handedOut: Map<PlanItem['attachmentId'], HandedBytes>) => ({
  ...{ writtenAt: new Date(1), respondedAt: new Date(2), transport: 'acp/stdio', proof: 'answered' },
  ...{ stopReason: 'end_turn', handedOut },
  modelCalls: { by: 'nobody' } as const,
});

it('every item of any plan has its item in the receipt, in its form and place: one, or one for each page [BX-03 BX-19]', () => {
  const seen = new Map<string, number>();
  const property = fc.property(anyRequest, fc.boolean(), (input, isHandedOut) => {
    const plan = planDelivery(input);
    const delivered = plan.items.filter(({ becomes }) => becomes !== 'blocked');
    const parts = delivered.map((item) => {
      const attachment = input.attachments.find(({ id }) => id === item.attachmentId) as PlannableAttachment;
      return makePart(item, attachment);
    });
    const bytes = { sha256: 'f'.repeat(64), sizeBytes: 5 };
    const handedOut = new Map(isHandedOut ? delivered.map(({ attachmentId }) => [attachmentId, bytes]) : []);
    const executed = { ...plan, items: delivered };
    const receipt = receiptSchema.parse(composeReceipt(executed, parts, input.capability, turnWith(handedOut)));

    const expected = delivered.flatMap((item) =>
      Array.from({ length: countOf(item) }, () => [item.attachmentId, item.becomes]),
    );
    expect(receipt.items.map(({ attachmentId, form }) => [attachmentId, form])).toEqual(expected);
    for (const { form, sha256, verdict } of receipt.items) {
      seen.set(form, (seen.get(form) ?? 0) + 1);
      expect(sha256 !== undefined).toBe(form !== 'tool' || isHandedOut);
      if (sha256 === undefined) expect(verdict).toBe('unknown');
      if (form === 'tool' && isHandedOut)
        expect({ sha256, verdict }).toEqual({ sha256: bytes.sha256, verdict: 'delivered' });
    }
  });
  // Not an empty promise: sixty requests show each form but pages, and where chance leaves one out, more of them do.
  do fc.assert(property, { numRuns: isShort ? 60 : 1_000 });
  while (['native', 'variant', 'text', 'tool'].some((form) => !seen.has(form)));
});
