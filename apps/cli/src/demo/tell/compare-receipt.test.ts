import { idFromUuid, type PlanItem, type Receipt } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { compareReceipt } from './compare-receipt.ts';

const attachmentId = idFromUuid('attachment', '0188f3a0-0000-7000-8000-000000000001');
const checks = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' } as const;
const planned: PlanItem = {
  ...{ attachmentId, becomes: 'pages', checks, warnings: [] },
  recipe: { purpose: 'page-images', pages: 2, mimeType: 'image/jpeg', maxEdgePixels: 1000, maxBytes: 50_000 },
};
const [first, second] = ['a'.repeat(64), 'b'.repeat(64)];

type Item = Receipt['items'][number];

function receiptOf(...changes: Partial<Item>[]): Receipt {
  const item: Item = { attachmentId, sha256: first, sizeBytes: 7, form: 'pages', verdict: 'delivered' };
  const items = changes.map((change) => ({ ...item, ...change }));
  return { writtenAt: '2026-11-21T10:00:00.000Z', transport: 'acp/stdio', proof: 'answered', items };
}

describe('a receipt held against its plan [BX-03]', () => {
  const answer = `I received ${first} and ${second}.`;

  it('agrees where every page went in its form and the agent names each digest', () => {
    expect(compareReceipt(planned, receiptOf({}, { sha256: second }), answer)).toEqual([]);
  });

  it('has nothing to compare of a file that the agent may read by tool and did not [BX-03]', () => {
    const byTool: PlanItem = { attachmentId, becomes: 'tool', checks, warnings: [] };
    const unread: Item = { attachmentId, form: 'tool', verdict: 'unknown' };
    expect(compareReceipt(byTool, { ...receiptOf(), items: [unread] }, answer)).toEqual([]);
    expect(compareReceipt(byTool, { ...receiptOf(), items: [{ ...unread, verdict: 'delivered' }] }, answer)).toEqual([
      'its verdict is delivered, of nothing that was sent',
    ]);
    expect(compareReceipt(byTool, receiptOf({ form: 'tool' }), answer)).toEqual([]);
  });

  it.each([
    ['no receipt', undefined, '2 of it should have been sent, and 0 were'],
    ['a page too few', receiptOf({}), '2 of it should have been sent, and 1 were'],
    ['another form', receiptOf({}, { form: 'text' }), 'it should have become pages, and became text'],
    ['no proof of delivery', receiptOf({}, { verdict: 'unknown' }), 'its verdict is unknown'],
    [
      'another content',
      receiptOf({}, { sha256: 'c'.repeat(64) }),
      `the agent does not name the digest ${'c'.repeat(64)}`,
    ],
  ])('does not with %s', (_, receipt, said) => {
    expect(compareReceipt(planned, receipt, answer)).toEqual([said]);
  });
});
