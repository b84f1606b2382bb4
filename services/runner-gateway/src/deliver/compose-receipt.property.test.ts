import { hash } from 'node:crypto';
import { type ByteReference, type Part, type PlanItem, receiptSchema } from '@attache/contracts';
import { composePart, type PlannableAttachment, planDelivery } from '@attache/domain';
import { anyRequest } from '@attache/domain/fixtures/any-request';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { HandedBytes } from '../files/handed-out.ts';
import { composeReceipt } from './compose-receipt.ts';

const countOf = ({ recipe }: PlanItem): number => (recipe?.purpose === 'page-images' ? recipe.pages : 1);

/** What the projector would have made for an item. */
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
  fc.assert(
    fc.property(anyRequest, fc.boolean(), (input, isHandedOut) => {
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
    }),
    { numRuns: 1_000 },
  );
  // Not an empty promise: each comes more than twenty times, but for pages, which chance may leave out.
  for (const form of ['native', 'variant', 'text', 'tool']) expect(seen.get(form), form).toBeGreaterThan(0);
});
