import type {
  Actor,
  AgentStatus,
  BusData,
  DeliveryPlan,
  DeliveryStatus,
  EventData,
  EventKind,
  Failure,
  FailureCode,
  Part,
  Receipt,
  Subject,
} from '@attache/contracts';
import type { Held } from '../plan/room/measure-held.ts';
import type { DeliveryState } from './delivery-state.ts';
import type { LeftBefore } from './next-attempt.ts';
import type { ServiceName } from './plan-transitions.ts';

/** The consequences of a fact: all of them happen at once, or none does. */
export type Decision = {
  readonly move: Move;
  /** For the session log, in this order. */
  readonly events: readonly DeliveryEvent[];
  /** For the bus. */
  readonly messages: readonly DeliveryMessage[];
};

/** Counts only where the delivery is still in the status and the attempt of `from`. */
export type Move = {
  readonly from: DeliveryState;
  readonly to: DeliveryStatus;
  readonly service: ServiceName;
  /** The actor in the timeline. */
  readonly actor: Actor;
  readonly code?: FailureCode | undefined;
  /** Only if no byte was written yet. */
  readonly isOnlyUnwritten?: boolean | undefined;
  /** Only if no request of its agent went to its model since the first byte. */
  readonly isOnlyUnforwarded?: boolean | undefined;
  /** The agent's new status; with `from`, only if that was its status before. */
  readonly agentStatus?: { readonly to: AgentStatus; readonly from?: AgentStatus } | undefined;
  readonly set: Changes;
};

/** Other changes of the delivery. */
export type Changes = Partial<{
  readonly plan: DeliveryPlan;
  readonly targetVersion: number;
  readonly parts: Part[] | null;
  readonly failure: Failure | null;
  readonly receipt: Receipt;
  readonly attempts: number;
  readonly writingAt: null;
  readonly held: Held | null;
  readonly leftBefore: LeftBefore | null;
}>;

type DeliveryEventKind = Extract<EventKind, `delivery.${string}`>;

export type DeliveryEvent = {
  [K in DeliveryEventKind]: { readonly kind: K; readonly actor: Actor; readonly data: EventData<K> };
}[DeliveryEventKind];

type DeliverySubject = Extract<Subject, `delivery.${string}`>;

export type DeliveryMessage = {
  [S in DeliverySubject]: { readonly subject: S; readonly data: BusData<S> };
}[DeliverySubject];

/** Why nothing follows from a fact. */
export type Refusal = {
  readonly refusal: 'not-in-this-status' | 'may-be-written' | 'not-retryable' | 'failed-otherwise';
};
