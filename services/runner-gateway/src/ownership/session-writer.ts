import { setImmediate as nextRound } from 'node:timers/promises';
import { isFault } from '@attache/contracts';
import { type ComposedWrite, composeOwnerWrite, type OwnerWrite, type OwnerWritten } from '@attache/database';

type SessionKey = { tenantId: string; sessionId: string };

/**
 * One writer for each session: writes that come while a commit runs go into the next one, in order. Nothing waits for a timer: a move that comes alone is
 * committed alone and at once, and output after one round of the event loop.
 */
export type SessionWriter = {
  /**
   * Takes its place in the order now, and resolves once it is committed. `line` names writes that depend on earlier ones of the same name: if
   * one of these could not be written, those that wait behind it are not written either.
   */
  write(session: SessionKey, line: string, write: OwnerWrite): Promise<OwnerWritten>;
  /** Whether less waits for its commit than one commit takes. */
  hasRoom(sessionId: string): boolean;
  /** Resolves once all that has come until now was written or refused. */
  settled(sessionId: string): Promise<void>;
};

/** Commits writes in their order; answers an outcome for each. */
export type Commit = (session: SessionKey, writes: readonly ComposedWrite[]) => Promise<OwnerWritten[]>;

type Waiting = {
  line: string;
  /** Says something and moves nothing. */
  isOutput: boolean;
  composed: ComposedWrite;
  resolve(written: OwnerWritten): void;
  reject(error: unknown): void;
};

type Queue = {
  session: SessionKey;
  waiting: Waiting[];
  /** How many of those are committed one by one. */
  aloneCount: number;
  last: Promise<unknown>;
};

// The limits of one commit: so many writes, and so many characters of JSON. A larger write goes alone.
const MAX_WRITES = 64;
const MAX_LENGTH = 1024 * 1024;

/** How many of those that wait fit into one commit. */
function countFitting(waiting: readonly Waiting[]): number {
  let length = 0;
  const end = waiting.findIndex(({ composed: { json } }, index) => {
    length += json.length;
    return index >= MAX_WRITES || length > MAX_LENGTH;
  });
  return end === -1 ? waiting.length : end;
}

function takeBatch(queue: Queue): Waiting[] {
  if (queue.aloneCount === 0) return queue.waiting.splice(0, Math.max(1, countFitting(queue.waiting)));
  queue.aloneCount -= 1;
  return queue.waiting.splice(0, 1);
}

/** No write of the session can be committed now, whatever is in it. */
const isOfAll = (error: unknown): boolean => isFault(error, 'OWNERSHIP_LOST') || isFault(error, 'DATABASE_UNAVAILABLE');

function refuseLines(queue: Queue, batch: readonly Waiting[], error: unknown): void {
  const lines = new Set(batch.map(({ line }) => line));
  for (const refused of batch) refused.reject(error);
  for (const behind of queue.waiting.filter(({ line }) => lines.has(line))) behind.reject(error);
  queue.waiting = queue.waiting.filter(({ line }) => !lines.has(line));
}

async function commitBatch(commit: Commit, queue: Queue): Promise<void> {
  const batch = takeBatch(queue);
  try {
    const outcomes = await commit(
      queue.session,
      batch.map(({ composed }) => composed),
    );
    for (const [index, { resolve }] of batch.entries()) resolve(outcomes[index] as OwnerWritten);
  } catch (error) {
    if (batch.length === 1 || isOfAll(error)) return refuseLines(queue, batch, error);
    // One of them cannot be written; the others are none the worse for it.
    queue.waiting.unshift(...batch);
    queue.aloneCount = batch.length;
  }
}

export function createSessionWriter(commit: Commit): SessionWriter {
  const queues = new Map<string, Queue>();

  const run = async (queue: Queue): Promise<void> => {
    // Writes of the same tick are committed together.
    await undefined;
    while (queue.waiting.length > 0) {
      // The end of its turn is on its way behind an agent's last words, as a rule.
      if (queue.waiting.every(({ isOutput }) => isOutput)) await nextRound();
      await commitBatch(commit, queue);
    }
    queues.delete(queue.session.sessionId);
  };

  return {
    write(session, line, write) {
      const composed = composeOwnerWrite(write);
      const { promise, resolve, reject } = Promise.withResolvers<OwnerWritten>();
      const present = queues.get(session.sessionId);
      const queue = present ?? { session, waiting: [], aloneCount: 0, last: promise };
      queue.waiting.push({ line, isOutput: !('decision' in write), composed, resolve, reject });
      queue.last = promise;
      queues.set(session.sessionId, queue);
      if (present === undefined) void run(queue);
      return promise;
    },
    hasRoom(sessionId) {
      const waiting = queues.get(sessionId)?.waiting ?? [];
      return waiting.length < MAX_WRITES && countFitting(waiting) === waiting.length;
    },
    async settled(sessionId) {
      await queues.get(sessionId)?.last.catch(() => undefined);
    },
  };
}
