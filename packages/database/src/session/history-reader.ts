import {
  type AgentId,
  type DeliveryId,
  eventKinds,
  eventRules,
  idFromUuid,
  type MessageId,
  type Part,
  type SessionEvent,
  uuidFromId,
} from '@attache/contracts';
import { and, asc, desc, eq, gte, inArray, isNotNull, lt, notInArray, or, sql } from 'drizzle-orm';
import type { Tx } from '../database.ts';
import { delivery, messageText, sessionLog } from '../schema.ts';

/** An event as the log holds it; another release may have written it. */
export type HistoryEvent = Pick<SessionEvent, 'seq' | 'at' | 'actor' | 'schemaVersion' | 'data'> & { kind: string };

// Named are those to leave out: a later release may have written others.
const kindsBesideHistory = eventKinds.filter((kind) => !eventRules[kind].isInHistory);

/** A stretch of a session's log, from `fromSeq` on and before `beforeSeq`: what it costs depends on its length alone. */
export type HistoryStretch = { sessionId: string; agentId: AgentId; fromSeq: number; beforeSeq: number };

const inStretch = ({ sessionId, fromSeq, beforeSeq }: HistoryStretch) =>
  and(eq(sessionLog.sessionId, sessionId), gte(sessionLog.seq, fromSeq), lt(sessionLog.seq, beforeSeq));

/** The events of a stretch that may be part of an agent's history, oldest first. */
export async function readHistoryEvents(tx: Tx, stretch: HistoryStretch): Promise<HistoryEvent[]> {
  const { seq, at, kind, actor, data, schemaVersion } = sessionLog;
  const rows = await tx
    .select({ seq, at, kind, actor, data, schemaVersion })
    .from(sessionLog)
    .where(
      and(
        inStretch(stretch),
        notInArray(kind, kindsBesideHistory),
        or(sql`not ${data} ? 'agentId'`, sql`${data}->>'agentId' = ${stretch.agentId}`),
        // A history leaves out thoughts and tool calls.
        sql`coalesce(${data}->'item'->>'type', '') not in ('thought', 'tool-call', 'usage')`,
      ),
    )
    .orderBy(asc(seq));
  return rows.map((row) => ({ ...row, at: row.at.toISOString() }));
}

/** Whether a byte of an earlier message may have been written for an agent. */
export async function hasHistory(tx: Tx, agentId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: delivery.id })
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), isNotNull(delivery.writingAt)))
    .orderBy(desc(delivery.writingAt))
    .limit(1);
  return row !== undefined;
}

/** Whether a message to an agent was answered. */
export async function hasAnswered(tx: Tx, agentId: string): Promise<boolean> {
  const [row] = await tx
    .select({ id: delivery.id })
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), eq(delivery.status, 'responded')))
    .orderBy(desc(delivery.messageSeq))
    .limit(1);
  return row !== undefined;
}

/** Counts these messages. It does not read rows of other agents, whatever share of all rows belongs to this one. */
export async function countHistory(tx: Tx, agentId: string): Promise<number> {
  await tx.execute(sql`select set_config('enable_seqscan', 'off', true)`);
  const [row] = await tx
    .select({ count: sql<number>`count(*)` })
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), isNotNull(delivery.writingAt)));
  return Number(row?.count ?? 0);
}

/**
 * Texts of messages that were brought to agents, the last named first, until they have `maxBytes` together: what comes before is left out. Each
 * text ends after `maxCharacters`.
 */
export async function readBroughtTexts(
  tx: Tx,
  messageIds: readonly MessageId[],
  { maxBytes, maxCharacters }: { maxBytes: number; maxCharacters: number },
): Promise<Map<MessageId, string>> {
  if (messageIds.length === 0) return new Map();
  const ofMessages = (ids: readonly MessageId[]) => inArray(messageText.messageId, ids.map(uuidFromId));
  const sized = await tx
    .select({ id: messageText.messageId, sizeBytes: sql<number>`octet_length(${messageText.text})` })
    .from(messageText)
    .where(ofMessages(messageIds));
  const sizes = new Map(sized.map(({ id, sizeBytes }) => [idFromUuid('message', id), Number(sizeBytes)]));
  const wanted: MessageId[] = [];
  let leftBytes = maxBytes;
  for (const id of messageIds.toReversed()) {
    if (leftBytes < 0) break;
    leftBytes -= sizes.get(id) ?? 0;
    wanted.push(id);
  }
  const rows = await tx
    .select({ id: messageText.messageId, text: sql<string>`left(${messageText.text}, ${maxCharacters})` })
    .from(messageText)
    .where(ofMessages(wanted));
  return new Map(rows.map(({ id, text }) => [idFromUuid('message', id), text]));
}

/** Reads the parts that were sent to an agent in these deliveries, if they still exist. */
export async function readBroughtParts(
  tx: Tx,
  agentId: string,
  deliveryIds: readonly DeliveryId[],
): Promise<Map<DeliveryId, readonly Part[]>> {
  if (deliveryIds.length === 0) return new Map();
  const rows = await tx
    .select({ id: delivery.id, parts: delivery.parts })
    .from(delivery)
    .where(and(eq(delivery.agentId, agentId), inArray(delivery.id, deliveryIds.map(uuidFromId))));
  return new Map(rows.flatMap(({ id, parts }) => (parts === null ? [] : [[idFromUuid('delivery', id), parts]])));
}

/** An event that says how an agent's turns and processes ended; `reason` is that of a process. */
export type EndEvent = {
  kind: 'delivery.written' | 'delivery.responded' | 'agent.target_changed' | 'agent.stopped';
  reason: string | null;
};

const MAX_ENDS = 50;

/** The end events of a stretch, the last first, 50 at most. */
export async function readEndEvents(tx: Tx, stretch: HistoryStretch): Promise<EndEvent[]> {
  const { seq, kind, data } = sessionLog;
  const kinds: EndEvent['kind'][] = ['delivery.written', 'delivery.responded', 'agent.target_changed', 'agent.stopped'];
  const rows = await tx
    .select({ kind, reason: sql<string | null>`${data}->>'reason'` })
    .from(sessionLog)
    .where(and(inStretch(stretch), inArray(kind, kinds), sql`${data}->>'agentId' = ${stretch.agentId}`))
    .orderBy(desc(seq))
    .limit(MAX_ENDS);
  return rows.map(({ kind: each, reason }) => ({ kind: each as EndEvent['kind'], reason }));
}
