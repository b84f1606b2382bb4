import { type DeliveryPlan, type Failure, idFromUuid, type PlanItem } from '@attache/contracts';
import type { DeliveryDraft } from '@attache/database';
import { requireDecision } from '@attache/domain';
import { expect, it } from 'vitest';
import { queueAgain } from './queue-again.ts';

const uuidOf = (number: number) => `00000000-0000-4000-8000-00000000000${number}`;
const identity = {
  ...{ tenantId: uuidOf(1), sessionId: uuidOf(2), deliveryId: uuidOf(3), messageId: uuidOf(4), agentId: uuidOf(5) },
  attempt: 1,
};
const plan: DeliveryPlan = {
  agentId: idFromUuid('agent', identity.agentId),
  ...{ decision: 'deliver', items: [], failures: [], budget: {} },
};
const replan = (to: DeliveryPlan) =>
  requireDecision({ ...identity, status: 'queued' }, { kind: 'replanned', plan: to, targetVersion: 2 });
const draftOf = (text: string | null): DeliveryDraft => ({ row: {} as DeliveryDraft['row'], text, attachments: [] });
const statuses = (decisions: ReturnType<typeof queueAgain>) => decisions.map(({ move }) => move.to);
const missing = { attachmentId: idFromUuid('attachment', uuidOf(6)), becomes: 'native' } as PlanItem;
const failure: Failure = {
  ...{ code: 'attachment_rejected', severity: 'error', retryable: false, userMessage: 'm', diagnostic: 'd' },
};

it('prepares a delivery at once where its parts are at hand', () => {
  const decisions = queueAgain(replan(plan), plan, draftOf('hello'));
  expect(statuses(decisions)).toEqual(['queued', 'prepared']);
  expect(decisions[1]?.move.set).toEqual({ parts: [{ type: 'text', text: 'hello' }] });
});

it.each([
  ['its text was erased', plan, draftOf(null)],
  ['nothing was read of it', plan, undefined],
  ['one of its files is gone', { ...plan, items: [missing] }, draftOf('hello')],
])('the projector has the next word where %s', (_, to, draft) => {
  const [decision, ...others] = queueAgain(replan(to), to, draft);
  expect([decision?.move.to, others]).toEqual(['queued', []]);
  expect(decision?.messages).toMatchObject([{ subject: 'delivery.queued' }]);
});

it('what its new target cannot take ends', () => {
  const blocked: DeliveryPlan = { ...plan, decision: 'blocked', failures: [failure] };
  expect(statuses(queueAgain(replan(blocked), blocked, draftOf('hello')))).toEqual(['failed']);
});
