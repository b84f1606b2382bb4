import { type ConsumerName, subjectsOfConsumer } from '@attache/contracts';
import { sql } from 'drizzle-orm';
import type { Database } from './database.ts';

export type ReplayOutcome = 'replayed' | 'not-found' | 'already-replayed';

/**
 * Lets a dead letter wait in the outbox again. It is handled unless its consumer did so before it died: the inbox knows. One that dies
 * again can be replayed again.
 */
export function replayDeadLetter(
  db: Database,
  letter: { tenantId: string; id: string; consumer: ConsumerName },
): Promise<ReplayOutcome> {
  const doorbells = subjectsOfConsumer[letter.consumer].map((subject) => `outbox:${subject}` as const);
  return db.call(sql`select attache_replay_dead_letter(${JSON.stringify(letter)}::jsonb)`, doorbells);
}
