import type { DeliveryPlan, Failure, Part } from '@attache/contracts';
import { expect, it } from 'vitest';
import { requireDecision } from './decide-delivery.ts';
import { prepareAtOnce } from './prepare-at-once.ts';

const identity = {
  tenantId: '11111111-1111-4111-8111-111111111111',
  sessionId: '22222222-2222-4222-8222-222222222222',
  deliveryId: '33333333-3333-4333-8333-333333333333',
  messageId: '44444444-4444-4444-8444-444444444444',
  agentId: '55555555-5555-4555-8555-555555555555',
};
const actor = { type: 'key', id: 'key_1' } as const;
const parts: Part[] = [{ type: 'text', text: 'hello' }];
const plan: DeliveryPlan = { agentId: 'agt_1', decision: 'deliver', items: [], failures: [], budget: {} };

it('a retried delivery is queued and prepared in one step, and only its gateway gets a message [DL-42]', () => {
  const left = { begunAt: null, held: null, leftBefore: null };
  const failed = { ...identity, attempt: 2, status: 'failed', failure: null, left } as const;
  const failure: Failure = {
    ...{ code: 'delivery_stalled', severity: 'error', retryable: true, userMessage: 'm', diagnostic: 'd' },
  };
  const queued = requireDecision({ ...failed, failure }, { kind: 'retried', actor });
  const decisions = prepareAtOnce(queued, parts);
  expect(decisions.map(({ move }) => [move.from.status, move.from.attempt, move.to, move.actor])).toEqual([
    ['failed', 2, 'queued', actor],
    ['queued', 3, 'prepared', { type: 'service', id: 'ingest' }],
  ]);
  expect(decisions.flatMap(({ events }) => events).map(({ kind, data }) => [kind, data.attempt])).toEqual([
    ['delivery.queued', 3],
    ['delivery.prepared', 3],
  ]);
  expect(decisions.flatMap(({ messages }) => messages).map(({ subject }) => subject)).toEqual(['delivery.prepared']);
});

it('a delivery with a new plan takes the parts of that plan [DL-51]', () => {
  const prepared = { ...identity, attempt: 1, status: 'prepared' } as const;
  const queued = requireDecision(prepared, { kind: 'replanned', plan, targetVersion: 2 });
  const [first, second] = prepareAtOnce(queued, parts);
  expect(first?.move.set).toMatchObject({ plan, targetVersion: 2, parts: null, attempts: 2 });
  expect(second?.move).toMatchObject({ from: { status: 'queued', attempt: 2 }, to: 'prepared', set: { parts } });
});

it('only a delivery that waits for parts is prepared at once', () => {
  const cancelled = requireDecision({ ...identity, attempt: 1, status: 'queued' }, { kind: 'cancelled', actor });
  expect(() => prepareAtOnce(cancelled, parts)).toThrow('a delivery that becomes cancelled does not wait for parts');
});
