import type {
  Actor,
  AttachmentFacts,
  AttachmentId,
  AttachmentKind,
  AttachmentStatus,
  EventData,
  Failure,
} from '@attache/contracts';
import { isAllowedAttachmentTransition, type ServiceName } from '../delivery/plan-transitions.ts';
import { messageDied } from './message-died.ts';

type Found = { readonly kind: AttachmentKind; readonly mimeType: string; readonly facts: AttachmentFacts };

/** How the inspection of an attachment ended. */
export type InspectionFact =
  | { readonly kind: 'found-ready'; readonly found: Found }
  /** Ingest or a gateway received the file, and its bytes showed everything that an inspection can find. */
  | { readonly kind: 'found-in-passing'; readonly found: Found; readonly by: ServiceName }
  | { readonly kind: 'found-faulty'; readonly failure: Failure }
  /** The message that asked for it was given up by its consumer, and became a dead letter. */
  | { readonly kind: 'message-died'; readonly letterId: string; readonly consumer: ServiceName };

type InspectionEventKind = 'attachment.ready' | 'attachment.rejected';

export type InspectionEvent = {
  [K in InspectionEventKind]: { readonly kind: K; readonly actor: Actor; readonly data: EventData<K> };
}[InspectionEventKind];

/** The new status of an attachment and its event in the session log: both are written at once, if the attachment has not changed meanwhile. */
export type InspectionDecision =
  | { readonly to: 'ready'; readonly event: InspectionEvent }
  | { readonly to: 'rejected'; readonly event: InspectionEvent; readonly failure: Failure };

/** Decides what follows from the end of an inspection. Undefined: nothing follows for an attachment in this status. */
export function decideInspection(
  { id, status }: { readonly id: AttachmentId; readonly status: AttachmentStatus },
  fact: InspectionFact,
): InspectionDecision | undefined {
  const service = serviceOf(fact);
  const decided = follow(id, fact, { type: 'service', id: service });
  return isAllowedAttachmentTransition({ from: status, to: decided.to, actor: service }) ? decided : undefined;
}

function serviceOf(fact: InspectionFact): ServiceName {
  switch (fact.kind) {
    case 'found-ready':
    case 'found-faulty':
      return 'projector';
    case 'found-in-passing':
      return fact.by;
    case 'message-died':
      return fact.consumer;
    default:
      return fact satisfies never;
  }
}

function follow(id: AttachmentId, fact: InspectionFact, actor: Actor): InspectionDecision {
  switch (fact.kind) {
    case 'found-ready':
    case 'found-in-passing': {
      const { kind, mimeType, facts } = fact.found;
      return {
        to: 'ready',
        event: { kind: 'attachment.ready', actor, data: { attachmentId: id, kind, mimeType, facts } },
      };
    }
    case 'found-faulty':
      return reject(id, fact.failure, actor);
    case 'message-died':
      return reject(id, messageDied(id, fact.letterId), actor);
    default:
      return fact satisfies never;
  }
}

function reject(attachmentId: AttachmentId, failure: Failure, actor: Actor): InspectionDecision {
  return { to: 'rejected', failure, event: { kind: 'attachment.rejected', actor, data: { attachmentId, failure } } };
}
