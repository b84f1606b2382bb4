import { type DeliveryPlan, type Failure, idFromUuid, type Part, type Receipt } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { heldNothing } from '../plan/room/measure-held.ts';
import { askToInterrupt, decideDelivery, requireDecision } from './decide-delivery.ts';
import type { Decision } from './delivery-decision.ts';
import type { DeliveryFact } from './delivery-fact.ts';
import type { DeliveryState } from './delivery-state.ts';
import { isAllowedTransition } from './plan-transitions.ts';

const uuids = {
  tenantId: '11111111-1111-4111-8111-111111111111',
  sessionId: '22222222-2222-4222-8222-222222222222',
  deliveryId: '33333333-3333-4333-8333-333333333333',
  messageId: '44444444-4444-4444-8444-444444444444',
  agentId: '55555555-5555-4555-8555-555555555555',
};
const { tenantId, sessionId, deliveryId, agentId } = uuids;
const inSession = { tenantId, sessionId, deliveryId };
const told = {
  deliveryId: idFromUuid('delivery', deliveryId),
  messageId: idFromUuid('message', uuids.messageId),
  agentId: idFromUuid('agent', agentId),
  attempt: 1,
};
const failure: Failure = {
  ...{ code: 'delivery_stalled', severity: 'error', retryable: true, userMessage: 'm', diagnostic: 'd' },
};
const parts: Part[] = [{ type: 'text', text: 'hello' }];
const receipt: Receipt = { writtenAt: '2026-01-02T03:04:05.678Z', transport: 'acp/stdio', proof: 'p', items: [] };
const plan: DeliveryPlan = { agentId: told.agentId, decision: 'deliver', items: [], failures: [], budget: {} };
const blocked: DeliveryPlan = { ...plan, decision: 'blocked', failures: [failure] };
const caller = { type: 'key', id: 'key_1' } as const;
const projector = { type: 'service', id: 'projector' } as const;
const gateway = { type: 'service', id: 'runner-gateway' } as const;
const ingest = { type: 'service', id: 'ingest' } as const;

const identity = { ...uuids, attempt: 1 };
const left = { begunAt: null, held: null, leftBefore: null };
const ofLetter: Failure = { ...failure, safeDetails: { deadLetter: 'letter-1' } };
const given = {
  queued: { ...identity, status: 'queued' },
  prepared: { ...identity, status: 'prepared' },
  claimed: { ...identity, status: 'claimed', isBegun: false },
  begun: { ...identity, status: 'claimed', isBegun: true },
  written: { ...identity, status: 'written' },
  responded: { ...identity, status: 'responded' },
  failed: { ...identity, status: 'failed', failure: ofLetter, left },
  cancelled: { ...identity, status: 'cancelled' },
} as const satisfies Record<string, DeliveryState>;
type Given = keyof typeof given;

const when = {
  'parts-built': { kind: 'parts-built', parts },
  'parts-at-hand': { kind: 'parts-at-hand', parts },
  'plan-failed': { kind: 'plan-failed', failure },
  claimed: { kind: 'claimed', epoch: 3 },
  written: { kind: 'written', epoch: 3 },
  responded: { kind: 'responded', epoch: 3, receipt, diagnostic: undefined },
  failed: { kind: 'failed', failure, isForgotten: false },
  'agent-gone': { kind: 'agent-gone' },
  'owner-lost': { kind: 'owner-lost' },
  'owner-lost, unseen': { kind: 'owner-lost', isUnseen: true },
  cancelled: { kind: 'cancelled', actor: caller },
  retried: { kind: 'retried', actor: caller },
  replanned: { kind: 'replanned', plan, targetVersion: 2 },
  'replanned and blocked': { kind: 'replanned', plan: blocked, targetVersion: 2 },
  'message-died (queued)': {
    ...{ kind: 'message-died', letterId: 'letter-1', subject: 'delivery.queued', consumer: 'projector' },
  },
  'message-died (prepared)': {
    ...{ kind: 'message-died', letterId: 'letter-1', subject: 'delivery.prepared', consumer: 'runner-gateway' },
  },
  replayed: { kind: 'replayed', letterId: 'letter-1', subject: 'delivery.prepared' },
} as const satisfies Record<string, DeliveryFact>;
type When = keyof typeof when;

function decide(state: DeliveryState, fact: DeliveryFact): Decision {
  const decided = decideDelivery(state, fact);
  if ('refusal' in decided) throw new Error(decided.refusal);
  return decided;
}

describe('what follows', () => {
  const taken = new Set<string>();

  // Given, when, then: the mover and the new status, the log's event, and the bus message.
  it.each<[Given, When, string]>([
    ['queued', 'parts-built', 'projector: prepared, says delivery.prepared, tells delivery.prepared'],
    ['queued', 'parts-at-hand', 'ingest: prepared, says delivery.prepared, tells delivery.prepared'],
    ['queued', 'plan-failed', 'projector: failed, says delivery.failed, tells delivery.stopped'],
    ['prepared', 'claimed', 'runner-gateway: claimed, says delivery.claimed'],
    ['claimed', 'written', 'runner-gateway: written, says delivery.written'],
    ['begun', 'written', 'runner-gateway: written, says delivery.written'],
    ['written', 'responded', 'runner-gateway: responded, says delivery.responded'],
    ['prepared', 'failed', 'runner-gateway: failed, says delivery.failed'],
    ['claimed', 'failed', 'runner-gateway: failed, says delivery.failed'],
    ['begun', 'failed', 'runner-gateway: failed, says delivery.failed'],
    ['written', 'failed', 'runner-gateway: failed, says delivery.failed'],
    ['queued', 'agent-gone', 'runner-gateway: cancelled, says delivery.cancelled'],
    ['prepared', 'agent-gone', 'runner-gateway: cancelled, says delivery.cancelled'],
    ['claimed', 'agent-gone', 'runner-gateway: cancelled, says delivery.cancelled'],
    ['claimed', 'owner-lost', 'runner-gateway: prepared, says delivery.queued'],
    ['begun', 'owner-lost', 'runner-gateway: failed, says delivery.failed'],
    ['written', 'owner-lost', 'runner-gateway: failed, says delivery.failed'],
    ['claimed', 'owner-lost, unseen', 'runner-gateway: prepared, says delivery.queued'],
    ['begun', 'owner-lost, unseen', 'runner-gateway: prepared, says delivery.queued'],
    ['written', 'owner-lost, unseen', 'runner-gateway: prepared, says delivery.queued'],
    ['queued', 'cancelled', 'ingest: cancelled, says delivery.cancelled, tells delivery.stopped'],
    ['prepared', 'cancelled', 'ingest: cancelled, says delivery.cancelled, tells delivery.stopped'],
    ['claimed', 'cancelled', 'ingest: cancelled, says delivery.cancelled, tells delivery.stopped'],
    ['failed', 'retried', 'ingest: queued, says delivery.queued, tells delivery.queued'],
    ['queued', 'replanned', 'ingest: queued, says nothing, tells delivery.queued'],
    ['prepared', 'replanned', 'ingest: queued, says nothing, tells delivery.queued'],
    ['queued', 'replanned and blocked', 'ingest: failed, says delivery.failed, tells delivery.stopped'],
    ['prepared', 'replanned and blocked', 'ingest: failed, says delivery.failed, tells delivery.stopped'],
    ['queued', 'message-died (queued)', 'projector: failed, says delivery.failed, tells delivery.stopped'],
    ['prepared', 'message-died (prepared)', 'runner-gateway: failed, says delivery.failed, tells delivery.stopped'],
    ['failed', 'replayed', 'ingest: queued, says delivery.queued, tells delivery.queued'],
  ])('%s, %s → %s [DL-61 DL-42]', (state, fact, then) => {
    expect(summarise(decide(given[state], when[fact]))).toBe(then);
    taken.add(`${state} ${fact}`);
  });

  it('is nothing in every other case, and never a move that its service may not make [DL-61]', () => {
    for (const [name, state] of Object.entries(given))
      for (const [kind, fact] of Object.entries(when)) {
        const decided = decideDelivery(state, fact);
        expect([name, kind, 'move' in decided]).toEqual([name, kind, taken.has(`${name} ${kind}`)]);
        if (!('move' in decided)) continue;
        const { to, service, from } = decided.move;
        expect(from).toBe(state);
        expect(isAllowedTransition({ from: state.status, to, actor: service })).toBe(true);
      }
  });

  it.each<[Given, When, string]>([
    ['begun', 'cancelled', 'may-be-written'],
    ['begun', 'agent-gone', 'may-be-written'],
    ['written', 'cancelled', 'not-in-this-status'],
    ['prepared', 'owner-lost', 'not-in-this-status'],
    ['queued', 'retried', 'not-in-this-status'],
    ['prepared', 'message-died (queued)', 'not-in-this-status'],
  ])('%s, %s: refused as %s [W16]', (state, fact, refusal) => {
    expect(decideDelivery(given[state], when[fact])).toEqual({ refusal });
  });

  it('is required where the caller knows that something follows', () => {
    expect(requireDecision(given.queued, when['parts-built']).move.to).toBe('prepared');
    const ask = () => requireDecision(given.written, when.claimed);
    expect(ask).toThrow('a delivery that is written does not take claimed');
  });
});

function summarise({ move, events, messages }: Decision): string {
  const says = events.map(({ kind }) => kind).join(', ') || 'nothing';
  const tells = messages.map(({ subject }) => `, tells ${subject}`).join('');
  return `${move.service}: ${move.to}, says ${says}${tells}`;
}

describe('of parts that were built', () => {
  it('the move has the parts, and the message names the agent whose lane it wakes', () => {
    const from = given.queued;
    expect(decide(from, when['parts-built'])).toEqual({
      move: { from, to: 'prepared', service: 'projector', actor: projector, set: { parts } },
      events: [{ kind: 'delivery.prepared', actor: projector, data: told }],
      messages: [{ subject: 'delivery.prepared', data: { ...inSession, agentId } }],
    });
  });

  it('the move is that of ingest where nothing was to be built', () => {
    const { move, events } = decide(given.queued, when['parts-at-hand']);
    expect(move).toEqual({ from: given.queued, to: 'prepared', service: 'ingest', actor: ingest, set: { parts } });
    expect(events).toEqual([{ kind: 'delivery.prepared', actor: ingest, data: told }]);
  });

  it('a failure has its code in the timeline', () => {
    const { move, events, messages } = decide(given.queued, when['plan-failed']);
    expect(move).toMatchObject({ code: failure.code, set: { failure } });
    expect(events).toEqual([{ kind: 'delivery.failed', actor: projector, data: { ...told, failure } }]);
    expect(messages).toEqual([{ subject: 'delivery.stopped', data: { ...inSession, agentId } }]);
  });
});

describe('of the gateway that owns the session', () => {
  it('a claim makes the agent busy and begins to write again', () => {
    const { move, events } = decide(given.prepared, when.claimed);
    expect(move).toMatchObject({ agentStatus: { to: 'busy' }, set: { writingAt: null } });
    expect(events).toEqual([{ kind: 'delivery.claimed', actor: gateway, data: { ...told, epoch: 3 } }]);
  });

  it('what is written changes nothing else', () => {
    const { move, events } = decide(given.begun, when.written);
    expect([move.agentStatus, move.set]).toEqual([undefined, {}]);
    expect(events).toEqual([{ kind: 'delivery.written', actor: gateway, data: { ...told, epoch: 3 } }]);
  });

  it.each([undefined, failure])('an answer makes the agent idle that was busy, and has its receipt', (diagnostic) => {
    const { move, events } = decide(given.written, { ...when.responded, diagnostic });
    expect(move).toMatchObject({ agentStatus: { to: 'idle', from: 'busy' }, set: { receipt } });
    const data = { ...told, epoch: 3, receipt, ...(diagnostic ? { diagnostic } : {}) };
    expect(events).toEqual([{ kind: 'delivery.responded', actor: gateway, data }]);
  });

  it('a failure says whether the runtime has forgotten what it was sent [BX-01]', () => {
    expect(decide(given.written, when.failed).move.set).toEqual({ failure });
    const { set } = decide(given.written, { ...when.failed, isForgotten: true }).move;
    expect(set).toEqual({ failure, held: heldNothing });
  });

  it('what an owner left is given back only while no byte was written, else of unknown outcome [DL-61]', () => {
    expect(decide(given.claimed, when['owner-lost'])).toEqual({
      move: {
        ...{ from: given.claimed, to: 'prepared', service: 'runner-gateway', actor: gateway, set: {} },
        isOnlyUnwritten: true,
      },
      events: [{ kind: 'delivery.queued', actor: gateway, data: told }],
      messages: [],
    });
    for (const state of [given.begun, given.written]) {
      const { code, set } = decide(state, when['owner-lost']).move;
      expect([code, set.failure]).toMatchObject([
        'delivery_outcome_unknown',
        { agentId: told.agentId, retryable: true },
      ]);
    }
  });
});

describe('of callers', () => {
  it('a cancellation names its caller and counts only while no byte was written [W16]', () => {
    const { move, events } = decide(given.claimed, when.cancelled);
    expect(move).toMatchObject({ actor: caller, code: 'delivery_cancelled', isOnlyUnwritten: true });
    expect(events).toEqual([{ kind: 'delivery.cancelled', actor: caller, data: told }]);
  });

  it('a turn is asked to end of all but what is cancelled', () => {
    expect(askToInterrupt(given.written)).toEqual([{ subject: 'delivery.interrupted', data: inSession }]);
    expect(askToInterrupt(given.cancelled)).toEqual([]);
  });

  it('a retry is a new attempt that remembers what the runtime holds of those before [DL-42 BX-01]', () => {
    const held = { bytes: 70, pixels: 6, images: 1, pages: 3 };
    const begunAt = new Date('2026-01-02T03:04:05.678Z');
    const before = { ...held, at: '2026-01-01T00:00:00.000Z' };
    const { move, events, messages } = decide(
      { ...given.failed, left: { begunAt, held, leftBefore: before } },
      when.retried,
    );
    expect(move.actor).toEqual(caller);
    expect(move.set).toEqual({
      ...{ attempts: 2, failure: null, writingAt: null, held: null },
      leftBefore: { bytes: 140, imageBytes: 0, pixels: 12, images: 2, pages: 6, at: begunAt.toISOString() },
    });
    expect(events).toEqual([{ kind: 'delivery.queued', actor: caller, data: { ...told, attempt: 2 } }]);
    expect(messages).toEqual([{ subject: 'delivery.queued', data: inSession }]);
  });

  it('a retry of what was never written keeps what is known, and one that mends nothing is refused [DL-42]', () => {
    const leftBefore = { ...heldNothing, at: '2026-01-01T00:00:00.000Z' };
    const { set } = decide({ ...given.failed, left: { ...left, leftBefore } }, when.retried).move;
    expect(set.leftBefore).toEqual(leftBefore);
    const lasting = { ...given.failed, failure: { ...failure, retryable: false } };
    expect(decideDelivery(lasting, when.retried)).toEqual({ refusal: 'not-retryable' });
  });

  it('another target is a new attempt without parts, or the failure of the new plan [DL-51]', () => {
    const { set } = decide(given.prepared, when.replanned).move;
    expect(set).toEqual({ plan, targetVersion: 2, parts: null, attempts: 2 });
    const refused = decide(given.prepared, when['replanned and blocked']);
    expect(refused.move).toMatchObject({ code: failure.code, set: { plan: blocked, targetVersion: 2, failure } });
    expect(refused.events).toEqual([{ kind: 'delivery.failed', actor: ingest, data: { ...told, failure } }]);
  });
});

describe('of dead letters', () => {
  it('a death names the letter and the consumer that gave it up [W10]', () => {
    const { move, events } = decide(given.prepared, when['message-died (prepared)']);
    expect(move).toMatchObject({ actor: gateway, code: 'delivery_runtime_transport_failed' });
    expect(events).toMatchObject([{ data: { failure: { retryable: true, safeDetails: { deadLetter: 'letter-1' } } } }]);
  });

  it('a replay queues what that letter failed, and adds no message beside the letter itself [W10]', () => {
    const asQueued = { ...when.replayed, subject: 'delivery.queued' } as const;
    const { move, events, messages } = decide(given.failed, asQueued);
    expect([move.to, move.actor, move.set.attempts, messages]).toEqual(['queued', ingest, 2, []]);
    expect(events).toEqual([{ kind: 'delivery.queued', actor: ingest, data: { ...told, attempt: 2 } }]);
    for (const since of [failure, { ...failure, safeDetails: { deadLetter: 'letter-2' } }])
      expect(decideDelivery({ ...given.failed, failure: since }, asQueued)).toEqual({ refusal: 'failed-otherwise' });
  });
});
