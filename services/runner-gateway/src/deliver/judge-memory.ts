import type { ContinuedBy, Failure, Part } from '@attache/contracts';
import { findLastAnswered } from '@attache/database';
import { holdsConversation } from '@attache/domain';
import { digestText } from '@attache/model-relay';
import type { AgentMemory } from '../host/agent-memory.ts';
import type { HostedAgent } from '../host/launch-agent.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import type { DeliveryTask, RecordDeps } from './record-delivery.ts';

const digestTexts = (parts: readonly Part[] | null): string[] =>
  (parts ?? []).flatMap((part) => (part.type === 'text' && part.text !== '' ? [digestText(part.text).sha256] : []));

const isContinued = (by: ContinuedBy): boolean => by === 'resume' || by === 'checkpoint';

/** With what a process began, by its first turn: where its program was asked to continue, its first request shows whether it did. */
export async function judgeMemory(
  { db }: Pick<RecordDeps, 'db'>,
  { session, agent, row }: Pick<DeliveryTask, 'session' | 'agent' | 'row'>,
  memory: Pick<AgentMemory, 'continuedBy' | 'isLost'>,
  { requests }: Pick<RunningTurn, 'requests'>,
): Promise<ContinuedBy> {
  const { continuedBy } = memory;
  if (!isContinued(continuedBy)) return continuedBy;
  const seen = requests.flatMap(({ request }) => request ?? []);
  if (holdsConversation(seen) === undefined) return continuedBy;
  const last = await db.readAsTenant(session.tenantId, (tx) => findLastAnswered(tx, agent.id));
  // Of a conversation in which the model has not answered, there is no word of it.
  if (last === undefined) return continuedBy;
  // What went behind a history, or into a turn that ran, may be in one text with other words.
  const former = last.continuedBy === 'rebuild' || last.isSteered ? [] : digestTexts(last.parts);
  if (holdsConversation(seen, { present: digestTexts(row.parts), former }) !== false) return continuedBy;
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
