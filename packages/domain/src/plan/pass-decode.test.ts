import { expect, it } from 'vitest';
import { givenAttachment, givenRequest } from './__fixtures__/plan-fixtures.ts';
import { composePart } from './compose-part.ts';
import { planDelivery } from './plan-delivery.ts';

const [refused, other] = [givenAttachment(1), givenAttachment(2)];
const plan = (quarantined?: ReadonlySet<typeof refused.id>) =>
  planDelivery({ ...givenRequest({ attachments: [refused, other] }), quarantined });

it('what the model refused before goes as its marker alone, and says why; the rest goes as ever [BX-02]', () => {
  const { decision, items, failures } = plan(new Set([refused.id]));
  expect([decision, failures]).toEqual(['deliver', []]);
  expect(items).toMatchObject([{ becomes: 'descriptor', reason: 'quarantined' }, { becomes: 'native' }]);
  expect(items[1]).toEqual(plan().items[1]);
});

it('what the model refused before takes no room of the message but its line [BX-02]', () => {
  const [without, whole] = [plan(new Set([refused.id])), plan()];
  expect(without.budget.images?.used).toBe((whole.budget.images?.used ?? 0) - 1);
});

it('becomes a text that names it and says that the model refused it [BX-02]', () => {
  const [item] = plan(new Set([refused.id])).items;
  if (item === undefined) throw new Error('it was not planned');
  const part = composePart(item, refused, []);
  expect(part).toMatchObject({ type: 'descriptor', attachmentId: refused.id });
  expect(JSON.stringify(part)).toContain('refused');
});

it('what did not pass inspection stays blocked [DL-63]', () => {
  const rejected = { ...refused, status: 'rejected' as const };
  const request = givenRequest({ attachments: [rejected] });
  const { decision, items } = planDelivery({ ...request, quarantined: new Set([rejected.id]) });
  expect([decision, items[0]?.becomes]).toEqual(['blocked', 'blocked']);
});
