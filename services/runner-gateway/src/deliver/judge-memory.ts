import type { ContinuedBy } from '@attache/contracts';
import { hasAnswered } from '@attache/database';
import { holdsConversation } from '@attache/domain';
import type { AgentMemory } from '../host/agent-memory.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import type { Journey, RecordDeps } from './record-delivery.ts';

/** With what a process began, by its first turn: where its program was asked to continue, its first request shows whether it did. */
export async function judgeMemory(
  { db }: Pick<RecordDeps, 'db'>,
  { session, agent }: Pick<Journey, 'session' | 'agent'>,
  memory: Pick<AgentMemory, 'continuedBy' | 'isLost'>,
  { requests }: Pick<RunningTurn, 'requests'>,
): Promise<ContinuedBy> {
  const { continuedBy } = memory;
  if (continuedBy !== 'resume' && continuedBy !== 'checkpoint') return continuedBy;
  const seen = requests.flatMap(({ request }) => request ?? []);
  if (holdsConversation(seen) !== false) return continuedBy;
  // Of a conversation in which the model has not answered, there is no word of it.
  if (!(await db.readAsTenant(session.tenantId, (tx) => hasAnswered(tx, agent.id)))) return continuedBy;
  memory.isLost = true;
  return 'fresh';
}
