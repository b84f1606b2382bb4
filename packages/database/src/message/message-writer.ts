import {
  type Actor,
  type AttachmentStatus,
  type DeliveryPlan,
  type TraceContext,
  uuidFromId,
} from '@attache/contracts';
import { type Decision, referencesOf } from '@attache/domain';
import { sql } from 'drizzle-orm';
import { v4 as uuidV4, v7 as uuidV7 } from 'uuid';
import type { Announced, Database, EarlyRing } from '../database.ts';
import { toMoveParameters, toOutboxRows } from '../delivery-move.ts';
import type { IdempotencyKey, KeptAnswer } from '../idempotency/idempotency-writer.ts';
import { type NewEvent, orRefusal, toAppended, toEventRows } from '../session/append-events.ts';
import type { FoundNamed } from './named-reader.ts';

export type NewMessage = {
  tenantId: string;
  sessionId: string;
  messageId: string;
  sender: Actor;
  text: string;
  attachmentIds: readonly string[];
  /** One per agent, with its frozen plan. */
  deliveries: readonly NewDelivery[];
  /** The attachments from which parts were composed, as they were then. */
  composedOf?: readonly ComposedOf[] | undefined;
  /** As they were read. With them a ring for the first delivery in an agent's line brings the delivery. */
  found?: FoundNamed | undefined;
  /** Naming an attachment in a message to an agent is a grant (SR-28). */
  grants: readonly { id: string; attachmentId: string; agentId: string }[];
  createdAt: string;
  trace?: TraceContext | undefined;
  traceId: string;
  /** How many deliveries that have not ended an agent may have. */
  maxWaiting: number;
  /** `message.accepted` first: its seq orders the deliveries of each agent. */
  events: readonly NewEvent[];
  idempotency?: (IdempotencyKey & KeptAnswer) | undefined;
};

/** With `prepare` its parts are at hand and it is prepared at once. Without it a message asks the projector to build them. */
export type NewDelivery = {
  id: string;
  agentId: string;
  targetVersion: number;
  plan: DeliveryPlan;
  prepare?: Decision | undefined;
  /** Its agent waits for nothing now. */
  isForIdle?: boolean | undefined;
};

/** An attachment (uuid) as it was. */
export type ComposedOf = { id: string; blobKey: string; status: AttachmentStatus };

export type AcceptOutcome =
  | { outcome: 'accepted'; seq: number }
  /** `target-changed`: an agent has another target than its plan is for. `line-full`: too many deliveries of an agent have not ended. `attachment-changed`: parts were composed of what is no longer so. */
  | {
      outcome:
        | 'session-ended'
        | 'session-parked'
        | 'agent-gone'
        | 'target-changed'
        | 'line-full'
        | 'attachment-gone'
        | 'attachment-changed';
    };

/** `at` is when its events came into the log. A database of the release before does not say it. */
type AcceptAnswer = AcceptOutcome & { owner?: string | null; at?: string; heads?: Heads | null };

/** The deliveries that their agents may take at once, by delivery id. */
type Heads = Record<string, object>;

/** Message, grants, deliveries with their plans, outbox and log events, in one round trip. */
export async function acceptMessage(
  db: Database,
  { events, deliveries, found, ...message }: NewMessage,
): Promise<AcceptOutcome> {
  const { tenantId, sessionId } = message;
  const told = deliveries.map((delivery) => toRows(message, delivery));
  const rows = toEventRows(events);
  const parameters = JSON.stringify({
    ...message,
    deliveries: deliveries.map((delivery, index) => toDeliveryParameters(delivery, told[index] ?? [], db.fallbackMs)),
    fallbackMs: db.fallbackMs,
    events: rows,
  });
  const statement = sql`select attache_accept_message(${parameters}::jsonb)`;
  const early = found?.owner ? composeEarly(message, deliveries, { ...found, owner: found.owner }) : [];
  const announce = (answer: AcceptAnswer) =>
    answer.outcome === 'accepted'
      ? told
          .flat()
          .map((row) => ({ ...row, owner: answer.owner, head: found && composeHead(row, answer.heads, found) }))
      : [];
  const appended = (answer: AcceptAnswer) =>
    answer.outcome === 'accepted'
      ? toAppended(message, rows, { lastSeq: answer.seq + rows.length - 1, at: answer.at })
      : undefined;
  const outcome = await orRefusal(
    db.call<AcceptAnswer>(statement, { doorbells: [`log:${sessionId}`], early, announce, appended, tenantId }),
  );
  return outcome.outcome === 'accepted' ? { outcome: 'accepted', seq: outcome.seq } : outcome;
}

/** Deliveries of files to agents that are idle: their gateway fetches the bytes while the message is committed. */
function composeEarly(
  { tenantId, sessionId }: Pick<NewMessage, 'tenantId' | 'sessionId'>,
  deliveries: readonly NewDelivery[],
  { owner, attachments }: FoundNamed & { owner: string },
): EarlyRing[] {
  const keys = new Map(attachments.map(({ row, blobKey }) => [row.id, blobKey]));
  return deliveries.flatMap(({ id: deliveryId, agentId, isForIdle, prepare }) => {
    const blobs = (prepare?.move.set.parts ?? []).flatMap(referencesOf).flatMap(({ attachmentId, sizeBytes }) => {
      const key = keys.get(uuidFromId(attachmentId));
      return key === undefined ? [] : [{ key, sizeBytes }];
    });
    return isForIdle && blobs.length > 0 ? [{ owner, blobs, data: { tenantId, sessionId, deliveryId, agentId } }] : [];
  });
}

/**
 * The data that the gateway would otherwise read of the first delivery in a line, as of the commit that accepted it (`readRungHead`): its attachments were
 * compared and granted there.
 */
function composeHead(
  { subject, data }: Announced,
  heads: Heads | null | undefined,
  found: FoundNamed,
): object | undefined {
  const head = subject === 'delivery.prepared' ? heads?.[data.deliveryId ?? ''] : undefined;
  const { attachments, probes } = found;
  return head && { ...head, attachments, probes, sessionStatus: 'active', notGranted: [] };
}

/** The outbox rows of a new delivery: its plan waits to be executed, or the delivery is prepared. */
function toRows(
  { tenantId, sessionId, trace }: Omit<NewMessage, 'events' | 'deliveries' | 'found'>,
  delivery: NewDelivery,
): Announced[] {
  if (delivery.prepare) return toOutboxRows(delivery.prepare);
  return [{ id: uuidV7(), subject: 'delivery.queued', data: { tenantId, sessionId, deliveryId: delivery.id }, trace }];
}

function toDeliveryParameters(
  { prepare, isForIdle: _, ...delivery }: NewDelivery,
  rows: readonly Announced[],
  fallbackMs: number,
) {
  return prepare
    ? { ...delivery, prepare: toMoveParameters(prepare, rows, fallbackMs) }
    : { ...delivery, outboxId: rows[0]?.id };
}

/** Random uuid of a new grant. */
export const newGrantId = (): string => uuidV4();
