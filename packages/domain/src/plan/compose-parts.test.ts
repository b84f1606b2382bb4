import { type Attachment, formatMarker, idFromUuid, type PlanItem } from '@attache/contracts';
import { expect, it } from 'vitest';
import { composeAtHand, composeParts, composeWholeAtHand, needsMaking } from './compose-parts.ts';

const idOf = (number: number) => idFromUuid('attachment', `00000000-0000-4000-8000-00000000000${number}`);

function file(number: number, given: Partial<Attachment> = {}): Attachment {
  const text = {
    name: `${number}.md`,
    mimeType: 'text/markdown',
    kind: 'text',
    sizeBytes: 10,
    sha256: `${number}`.repeat(64),
  };
  return { id: idOf(number), status: 'ready', ...text, ...given } as Attachment;
}

const item = (number: number, given: Partial<PlanItem> = {}): PlanItem =>
  ({ attachmentId: idOf(number), becomes: 'text', ...given }) as PlanItem;

const recipe = { purpose: 'decoded-text', encoding: 'utf-16le', maxBytes: 100 } as const;

it('composes a part for each item, on the bytes of the file itself', () => {
  const plan = { items: [item(2), item(1, { becomes: 'tool' })] };
  const { mimeType, sizeBytes, sha256 } = file(2);
  expect(composeAtHand(plan, [file(1), file(2)])).toEqual([
    { type: 'text-file', name: '2.md', bytes: { attachmentId: idOf(2), mimeType, sizeBytes, sha256 } },
    { type: 'descriptor', attachmentId: idOf(1), text: expect.stringContaining('1.md') },
  ]);
});

it.each([
  ['a variant is to be made', [item(1), item(2, { recipe })], [file(1), file(2)]],
  ['a file is not there', [item(1), item(2)], [file(1)]],
  ['a file is not inspected', [item(1)], [file(1, { status: 'pending' })]],
  ['a file was rejected', [item(1)], [file(1, { status: 'rejected' })]],
])('composes nothing where %s', (_, items, attachments) => {
  expect(composeAtHand({ items }, attachments)).toBeUndefined();
  expect(composeWholeAtHand('look', { items }, attachments)).toBeUndefined();
});

it('needs something to be made where any item has a recipe', () => {
  expect(needsMaking({ items: [item(1), item(2, { recipe })] })).toBe(true);
  expect(needsMaking({ items: [item(1)] })).toBe(false);
});

it('puts the text with a marker for each file first [AT-28]', () => {
  const [one, two] = [file(1), file(2)];
  const plan = { items: [item(2), item(1)] };
  const itemParts = composeAtHand(plan, [one, two]) ?? [];
  const whole = composeParts('look', plan, { attachments: [one, two], itemParts });
  expect(whole).toEqual([{ type: 'text', text: `look\n${formatMarker(two)}\n${formatMarker(one)}` }, ...itemParts]);
  expect(composeWholeAtHand('look', plan, [one, two])).toEqual(whole);
  expect(composeWholeAtHand('hello', { items: [] }, [])).toEqual([{ type: 'text', text: 'hello' }]);
});
