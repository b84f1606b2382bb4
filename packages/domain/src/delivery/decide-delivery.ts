import type { Actor, DeliveryPlan, DeliveryStatus, Failure, Part } from '@attache/contracts';
import { heldNothing } from '../plan/room/measure-held.ts';
import type { Changes, Decision, DeliveryMessage, Move, Refusal } from './delivery-decision.ts';
import type { AwaitedSubject, DeliveryFact } from './delivery-fact.ts';
import type { DeliveryState } from './delivery-state.ts';
import { describeState, messageTo } from './describe-state.ts';
import { messageDied } from './message-died.ts';
import { nextAttemptOf } from './next-attempt.ts';
import { outcomeUnknown } from './outcome-unknown.ts';
import { isAllowedTransition, type ServiceName } from './plan-transitions.ts';

/** Decides what follows from a fact for a delivery in this state, or why nothing does. */
export function decideDelivery(state: DeliveryState, fact: DeliveryFact): Decision | Refusal {
  const decided = follow(state, fact);
  if ('refusal' in decided) return decided;
  const { to, service } = decided.move;
  return isAllowedTransition({ from: state.status, to, actor: service }) ? decided : refuse('not-in-this-status');
}

/** The same for a fact from which something is known to follow. */
export function requireDecision(state: DeliveryState, fact: DeliveryFact): Decision {
  const decided = decideDelivery(state, fact);
  if ('refusal' in decided) throw new Error(`a delivery that is ${state.status} does not take ${fact.kind}`);
  return decided;
}

function follow(state: DeliveryState, fact: DeliveryFact): Decision | Refusal {
  switch (fact.kind) {
    case 'parts-built':
      return prepare(state, fact.parts, 'projector');
    case 'parts-at-hand':
      return prepare(state, fact.parts, 'ingest');
    case 'plan-failed':
      return fail(state, fact.failure, { service: 'projector' });
    case 'claimed':
    case 'written':
      return begin(state, fact.kind, fact.epoch);
    case 'responded':
      return respond(state, fact);
    case 'failed':
      return failAsOwner(state, fact.failure, fact.isForgotten ? { held: heldNothing } : {});
    case 'agent-gone':
      return cancel(state, 'runner-gateway', ofService('runner-gateway'));
    case 'owner-lost':
      return settleLost(state, fact.isUnseen === true);
    case 'cancelled':
      return cancel(state, 'ingest', fact.actor);
    case 'retried':
      return retry(state, fact.actor);
    case 'replanned':
      return replan(state, fact);
    case 'message-died':
      return buryWith(state, fact);
    case 'replayed':
      return replay(state, fact);
    default:
      return fact satisfies never;
  }
}

function prepare(state: DeliveryState, parts: Part[], service: ServiceName): Decision {
  const move = moveBy(service, state, 'prepared', { parts });
  const event = { kind: 'delivery.prepared', actor: move.actor, data: describeState(state) } as const;
  return { move, events: [event], messages: [messageTo('delivery.prepared', state)] };
}

function begin(state: DeliveryState, to: 'claimed' | 'written', epoch: number): Decision {
  const isClaimed = to === 'claimed';
  const moved = moveBy('runner-gateway', state, to, isClaimed ? { writingAt: null } : {});
  const move: Move = isClaimed ? { ...moved, agentStatus: { to: 'busy' } } : moved;
  const event = { kind: `delivery.${to}`, actor: move.actor, data: { ...describeState(state), epoch } } as const;
  return { move, events: [event], messages: [] };
}

type Responded = Extract<DeliveryFact, { kind: 'responded' }>;

function respond(state: DeliveryState, { epoch, receipt, diagnostic }: Responded): Decision {
  const moved = moveBy('runner-gateway', state, 'responded', { receipt });
  const data = { ...describeState(state), epoch, receipt, ...(diagnostic ? { diagnostic } : {}) };
  return {
    move: { ...moved, agentStatus: { to: 'idle', from: 'busy' } },
    events: [{ kind: 'delivery.responded', actor: moved.actor, data }],
    messages: [],
  };
}

type Failing = { service: ServiceName; set?: Changes };

function fail(state: DeliveryState, failure: Failure, { service, set = {} }: Failing): Decision {
  const move = { ...moveBy(service, state, 'failed', { ...set, failure }), code: failure.code };
  const event = { kind: 'delivery.failed', actor: move.actor, data: { ...describeState(state), failure } } as const;
  return { move, events: [event], messages: [messageTo('delivery.stopped', state)] };
}

// The owner of the session needs no message about its own work.
function failAsOwner(state: DeliveryState, failure: Failure, set: Changes = {}): Decision {
  return { ...fail(state, failure, { service: 'runner-gateway', set }), messages: [] };
}

/** Given back where it was provably never written, or no model can have seen it; of any other nobody can say whether the agent took it (DL-61). */
function settleLost(state: DeliveryState, isUnseen: boolean): Decision | Refusal {
  if (state.status === 'written' || (state.status === 'claimed' && state.isBegun))
    return isUnseen
      ? giveBack(state, { isOnlyUnforwarded: true }, { writingAt: null, held: null })
      : failAsOwner(state, outcomeUnknown(state));
  return state.status === 'claimed' ? giveBack(state, { isOnlyUnwritten: true }) : refuse('not-in-this-status');
}

function giveBack(
  state: DeliveryState,
  only: Pick<Move, 'isOnlyUnwritten' | 'isOnlyUnforwarded'>,
  set: Changes = {},
): Decision {
  const move = { ...moveBy('runner-gateway', state, 'prepared', set), ...only };
  return { move, events: [{ kind: 'delivery.queued', actor: move.actor, data: describeState(state) }], messages: [] };
}

function cancel(state: DeliveryState, service: 'ingest' | 'runner-gateway', actor: Actor): Decision | Refusal {
  if (state.status === 'claimed' && state.isBegun) return refuse('may-be-written');
  const moved = moveBy(service, state, 'cancelled', {});
  const data = describeState(state);
  return {
    move: { ...moved, actor, code: 'delivery_cancelled', isOnlyUnwritten: true },
    events: [{ kind: 'delivery.cancelled', actor, data }],
    messages: service === 'ingest' ? [messageTo('delivery.stopped', state)] : [],
  };
}

// Unedited and with its frozen plan (DL-42).
function retry(state: DeliveryState, actor: Actor): Decision | Refusal {
  if (state.status !== 'failed') return refuse('not-in-this-status');
  if (!state.failure?.retryable) return refuse('not-retryable');
  const set = nextAttemptOf(state.attempt, state.left);
  const data = describeState({ ...state, attempt: set.attempts });
  return {
    move: { ...moveBy('ingest', state, 'queued', set), actor },
    events: [{ kind: 'delivery.queued', actor, data }],
    messages: [messageTo('delivery.queued', state)],
  };
}

type Replanned = { plan: DeliveryPlan; targetVersion: number };

/** Begins a new attempt, so that a worker on the old plan changes nothing any more; or fails the delivery, with the new plan's reason (DL-51). */
function replan(state: DeliveryState, { plan, targetVersion }: Replanned): Decision | Refusal {
  if (state.status !== 'queued' && state.status !== 'prepared') return refuse('not-in-this-status');
  if (plan.decision === 'deliver') {
    const move = moveBy('ingest', state, 'queued', { plan, targetVersion, parts: null, attempts: state.attempt + 1 });
    return { move, events: [], messages: [messageTo('delivery.queued', state)] };
  }
  const [failure] = plan.failures;
  if (!failure) throw new Error('a blocked plan has no failure');
  return fail(state, failure, { service: 'ingest', set: { plan, targetVersion } });
}

/** The status in which a delivery waits for a message. */
const waitingStatus: Readonly<Record<AwaitedSubject, DeliveryStatus>> = {
  'delivery.queued': 'queued',
  'delivery.prepared': 'prepared',
};

type Died = Extract<DeliveryFact, { kind: 'message-died' }>;

function buryWith(state: DeliveryState, { subject, consumer, letterId }: Died): Decision | Refusal {
  if (waitingStatus[subject] !== state.status) return refuse('not-in-this-status');
  return fail(state, messageDied(letterId), { service: consumer });
}

type Replayed = Extract<DeliveryFact, { kind: 'replayed' }>;

/** As a retry, where nothing else has failed it since. */
function replay(state: DeliveryState, { letterId, subject }: Replayed): Decision | Refusal {
  if (state.status === 'failed' && state.failure?.safeDetails?.deadLetter !== letterId)
    return refuse('failed-otherwise');
  const retried = retry(state, ofService('ingest'));
  // The replayed letter itself notifies the projector.
  return 'refusal' in retried || subject !== 'delivery.queued' ? retried : { ...retried, messages: [] };
}

const ofService = (service: ServiceName): Actor => ({ type: 'service', id: service });

function moveBy(service: ServiceName, from: DeliveryState, to: DeliveryStatus, set: Changes): Move {
  return { from, to, service, actor: ofService(service), set };
}

const refuse = (refusal: Refusal['refusal']): Refusal => ({ refusal });

/** The message that asks the owning gateway to end the turn of a delivery that can no longer be cancelled. The runtime reports how the turn ended. */
export function askToInterrupt(state: DeliveryState): readonly DeliveryMessage[] {
  return state.status === 'cancelled' ? [] : [messageTo('delivery.interrupted', state)];
}
