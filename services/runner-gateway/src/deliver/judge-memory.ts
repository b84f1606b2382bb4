import type { ContinuedBy, Failure } from '@attache/contracts';
import { hasAnswered } from '@attache/database';
import { holdsConversation } from '@attache/domain';
import type { AgentMemory } from '../host/agent-memory.ts';
import type { HostedAgent } from '../host/launch-agent.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import type { DeliveryTask, RecordDeps } from './record-delivery.ts';

const isContinued = (by: ContinuedBy): boolean => by === 'resume' || by === 'checkpoint';

/** How a process began, by its first turn: if its program was asked to continue, its first request shows whether it did. */
export async function judgeMemory(
  { db }: Pick<RecordDeps, 'db'>,
  { session, agent }: Pick<DeliveryTask, 'session' | 'agent'>,
  memory: Pick<AgentMemory, 'continuedBy' | 'isLost'>,
  { requests }: Pick<RunningTurn, 'requests'>,
): Promise<ContinuedBy> {
  const { continuedBy } = memory;
  if (!isContinued(continuedBy)) return continuedBy;
  const seen = requests.flatMap(({ request }) => request ?? []);
  if (holdsConversation(seen) !== false) return continuedBy;
  // If the model has not answered yet, a request holds no word of its conversation in any case.
  if (!(await db.readAsTenant(session.tenantId, (tx) => hasAnswered(tx, agent.id)))) return continuedBy;
  memory.isLost = true;
  return 'fresh';
}

/**
 * A program that failed its first turn before it asked its model may not have found its conversation, and would fail so again with each message. A turn
 * that somebody cancelled says nothing of that. True: the memory is lost, and no model saw the message.
 */
export function noteLostMemory(
  {
    memory,
    modelCallsBy,
  }: { memory: Pick<AgentMemory, 'continuedBy' | 'isLost'>; modelCallsBy: HostedAgent['modelCallsBy'] },
  { code }: Pick<Failure, 'code'>,
  { requests }: Pick<RunningTurn, 'requests'>,
): boolean {
  if (modelCallsBy !== 'relay' || requests.length > 0 || code === 'delivery_cancelled') return false;
  if (!isContinued(memory.continuedBy)) return false;
  memory.isLost = true;
  return true;
}
