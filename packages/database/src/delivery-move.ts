import type { Changes, Decision, DeliveryMessage } from '@attache/domain';
import { currentTrace, currentTraceId } from '@attache/telemetry';
import { v7 as uuidV7 } from 'uuid';
import type { Doorbell } from './database.ts';
import { delivery } from './schema.ts';

// Of whoever moves a delivery, and of whoever accepts a message whose delivery is moved at once.

/** A decision without its events, as `attache_move_delivery` takes it. */
export function toMoveParameters({ move, messages }: Decision) {
  const { from, to, actor, code, agentStatus } = move;
  const { tenantId, sessionId, deliveryId, agentId, status, attempt } = from;
  return {
    ...{ tenantId, sessionId, deliveryId, agentId, from: status, attempts: attempt, to, actor, code },
    ...(move.isOnlyUnwritten ? { onlyUnwritten: true } : {}),
    ...{ agentStatus: agentStatus?.to, agentWas: agentStatus?.from, traceId: currentTraceId() },
    set: toColumns(move.set),
    messages: messages.map(toOutboxRow),
  };
}

function toColumns(changes: Changes): Record<string, unknown> {
  const names = Object.keys(changes) as (keyof Changes)[];
  return Object.fromEntries(names.map((name) => [delivery[name].name, changes[name]]));
}

const toOutboxRow = (message: DeliveryMessage) => ({ ...message, id: uuidV7(), trace: currentTrace() });

/** The doorbells of its messages. */
export const bellsOf = ({ messages }: Decision): Doorbell[] =>
  messages.map(({ subject }) => `outbox:${subject}` satisfies Doorbell);
