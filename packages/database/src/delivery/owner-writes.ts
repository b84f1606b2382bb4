import type { SessionEvent } from '@attache/contracts';
import type { Decision } from '@attache/domain';
import { sql } from 'drizzle-orm';
import type { Announced, Database, Doorbell } from '../database.ts';
import { settledBy, toMoveParameters, toOutboxRows } from '../delivery-move.ts';
import type { AgentRow } from '../session/agent-reader.ts';
import { type EventRow, type NewEvent, placeInLog, toEventRows } from '../session/append-events.ts';
import type { Fence } from '../session/owner/fence.ts';
import { type DeliveryRow, type NextDelivery, type NextJson, toNextDelivery } from './delivery-reader.ts';
import { ownershipLost } from './delivery-writer.ts';
import type { Marked, WritingFacts } from './mark-writing.ts';

/**
 * A write of a session's owner: a move of a delivery with its consequences, or events alone. With `writing`, the move counts only if the first byte may be
 * written now, and notes that it is about to be. With `answersNext`, the result includes the agent's next delivery. With `seen`, the write counts only if the
 * delivery has this plan and these parts, and no file was taken from its agent since.
 */
export type OwnerWrite =
  | {
      decision: Decision;
      writing?: WritingFacts | undefined;
      answersNext?: boolean | undefined;
      seen?: Seen | undefined;
    }
  | { events: readonly NewEvent[] };

/**
 * `stale`: someone else moved the delivery first. What says why nothing may be written is as `markWriting` says it. `next` is as `readNextDelivery` would
 * have answered in the same transaction, null for nothing; it is undefined where it was not asked for, or the first answer was lost.
 */
export type OwnerWritten = { outcome: 'written'; next?: NextDelivery | null } | Exclude<Marked, { outcome: 'marked' }>;

/** The delivery's data, if it was not read from the database. */
export type Seen = Pick<DeliveryRow, 'plan' | 'parts'> & Pick<AgentRow, 'memoryVersion'>;

type WrittenJson = { outcome: 'written'; next?: NextJson | null } | Exclude<Marked, { outcome: 'marked' }>;

/** A write as JSON, with the ids and the trace of the moment in which it happened, so that it can be committed later and again. */
export type ComposedWrite = {
  happenedAtMs: number;
  json: string;
  events: EventRow[];
  /** The messages that it puts into the outbox. */
  announced: readonly Announced[];
};

export function composeOwnerWrite(write: OwnerWrite): ComposedWrite {
  const isMove = 'decision' in write;
  const events = toEventRows(isMove ? write.decision.events : write.events);
  const announced = isMove ? toOutboxRows(write.decision) : [];
  const json = JSON.stringify({ ...(isMove ? composeMove(write, announced) : {}), events });
  return { happenedAtMs: performance.now(), json, events, announced };
}

type OwnerMove = Extract<OwnerWrite, { decision: Decision }>;

// An owner's message is for itself or for the session's next owner: its row is no fallback for a ring.
function composeMove({ decision, writing, answersNext, seen }: OwnerMove, announced: readonly Announced[]) {
  const parameters = {
    ...toMoveParameters(decision, announced, 0),
    settles: settledBy(decision),
    ...(answersNext ? { answersNext } : {}),
    ...(seen ? { seen } : {}),
  };
  if (writing === undefined) return parameters;
  const { held, ...place } = writing;
  return { ...parameters, set: { ...parameters.set, held }, writing: place };
}

type Commit = {
  session: { tenantId: string; sessionId: string };
  fence: Fence;
  writes: readonly ComposedWrite[];
  /** The answer to the same writes was lost. */
  isRepeated: boolean;
};

type Written<O> = { outcomes: O; lastSeq: number | null; times: string[] };

/**
 * Commits writes of one session in their order, in one transaction. Returns an outcome for each; each keeps the time at which it happened. `events` are
 * those that came into the log, as it has them; none where the first answer was lost. It is the caller who rings the log's doorbell.
 * Throws `OWNERSHIP_LOST` for a lower epoch.
 */
export async function writeAsOwner(
  db: Database,
  { session, fence, writes, isRepeated }: Commit,
): Promise<{ outcomes: OwnerWritten[]; events: SessionEvent[] }> {
  const nowMs = performance.now();
  const agesMs = writes.map(({ happenedAtMs }) => nowMs - happenedAtMs);
  const parameters = JSON.stringify({ ...session, fence, isRepeated, agesMs, answersLog: true });
  // Each was made JSON where it was composed.
  const all = `[${writes.map(({ json }) => json).join()}]`;
  const answer = await db.call<Written<WrittenJson[]> | WrittenJson[] | 'ownership-lost'>(
    sql`select attache_write_as_owner(${parameters}::jsonb, ${all}::jsonb)`,
    {
      doorbells: writes.flatMap(({ announced }) => announced.map(({ subject }): Doorbell => `outbox:${subject}`)),
      tenantId: session.tenantId,
    },
  );
  if (answer === 'ownership-lost') throw ownershipLost();
  if (Array.isArray(answer)) return { outcomes: answer.map(toWritten), events: [] };
  const written = writes.filter((_, index) => answer.outcomes[index]?.outcome === 'written');
  const rows = written.flatMap(({ events }) => events);
  return { outcomes: answer.outcomes.map(toWritten), events: placeInLog(rows, Number(answer.lastSeq), answer.times) };
}

function toWritten(written: WrittenJson): OwnerWritten {
  if (written.outcome !== 'written' || written.next === undefined) return written as OwnerWritten;
  return { outcome: 'written', next: written.next && toNextDelivery(written.next) };
}
