import type { Changes, Decision, DeliveryMessage } from '@attache/domain';
import { currentTrace, currentTraceId } from '@attache/telemetry';
import { v7 as uuidV7 } from 'uuid';
import type { Announced } from './database.ts';
import { preparedMessageIdOf } from './outbox/outbox-writer.ts';
import { delivery } from './schema.ts';

// Shared by code that moves a delivery and code that accepts a message whose delivery is moved at once.

/** A decision without its events, as `attache_move_delivery` takes it. `rows` are those of its messages; each waits `fallbackMs` for its ring. */
export function toMoveParameters({ move }: Decision, rows: readonly Announced[], fallbackMs: number) {
  const { from, to, actor, code, agentStatus } = move;
  const { tenantId, sessionId, deliveryId, agentId, status, attempt } = from;
  return {
    ...{ tenantId, sessionId, deliveryId, agentId, from: status, attempts: attempt, to, actor, code },
    ...(move.isOnlyUnwritten ? { onlyUnwritten: true } : {}),
    ...(move.isOnlyUnforwarded ? { onlyUnforwarded: true } : {}),
    ...{ agentStatus: agentStatus?.to, agentWas: agentStatus?.from, traceId: currentTraceId() },
    set: toColumns(move.set),
    messages: rows.map((row) => ({ ...row, fallbackMs })),
  };
}

function toColumns(changes: Changes): Record<string, unknown> {
  const names = Object.keys(changes) as (keyof Changes)[];
  return Object.fromEntries(names.map((name) => [delivery[name].name, changes[name]]));
}

/** The outbox messages of a decision. */
export const toOutboxRows = ({ move, messages }: Decision): Announced[] =>
  messages.map((message: DeliveryMessage) => ({
    ...(message as Pick<Announced, 'subject' | 'data'>),
    id:
      message.subject === 'delivery.prepared'
        ? preparedMessageIdOf(message.data.deliveryId, move.from.attempt)
        : uuidV7(),
    trace: currentTrace(),
  }));

/** The message that asked for a move: a claim is what that of a prepared delivery asks for. */
export const settledBy = ({ move: { to, from } }: Decision): string | undefined =>
  to === 'claimed' ? preparedMessageIdOf(from.deliveryId, from.attempt) : undefined;
