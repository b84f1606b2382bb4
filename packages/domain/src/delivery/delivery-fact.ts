import type { Actor, ConsumerName, DeliveryPlan, Failure, Part, Receipt, Subject } from '@attache/contracts';

/** The messages that a delivery waits for. */
export type AwaitedSubject = Extract<Subject, 'delivery.queued' | 'delivery.prepared'>;

/** Something that happened to a delivery, or is requested of it. */
export type DeliveryFact =
  /** The projector executed its plan. */
  | { readonly kind: 'parts-built'; readonly parts: Part[] }
  /** Nothing had to be created: its parts were available when it was queued. */
  | { readonly kind: 'parts-at-hand'; readonly parts: Part[] }
  | { readonly kind: 'plan-failed'; readonly failure: Failure }
  /** From the gateway that owns the session, under this epoch. */
  | { readonly kind: 'claimed'; readonly epoch: number }
  | { readonly kind: 'written'; readonly epoch: number }
  | {
      readonly kind: 'responded';
      readonly epoch: number;
      readonly receipt: Receipt;
      /** The content that the runtime or its provider refused, although it answered the turn. */
      readonly diagnostic: Failure | undefined;
    }
  /** `isForgotten`: its runtime holds nothing of it any more. */
  | { readonly kind: 'failed'; readonly failure: Failure; readonly isForgotten: boolean }
  /** The session has ended or the agent was removed. */
  | { readonly kind: 'agent-gone' }
  /**
   * The gateway that had begun the delivery was lost and will never report how it ended. `isUnseen`: the agent reaches its model only through the relay, and
   * the relay has passed nothing on since the first byte, so no model saw the delivery.
   */
  | { readonly kind: 'owner-lost'; readonly isUnseen?: boolean | undefined }
  /** A caller asks for it. */
  | { readonly kind: 'cancelled'; readonly actor: Actor }
  | { readonly kind: 'retried'; readonly actor: Actor }
  /** Its agent gets another target, for which it has this plan. */
  | { readonly kind: 'replanned'; readonly plan: DeliveryPlan; readonly targetVersion: number }
  /** The message that it waited for was given up, and became a dead letter. */
  | {
      readonly kind: 'message-died';
      readonly letterId: string;
      readonly subject: AwaitedSubject;
      readonly consumer: ConsumerName;
    }
  /** An operator lets that letter wait again. */
  | { readonly kind: 'replayed'; readonly letterId: string; readonly subject: Subject };
