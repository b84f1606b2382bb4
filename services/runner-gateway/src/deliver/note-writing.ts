import type { DeliveryContents } from '@attache/agent-process';
import { type Failure, idFromUuid, type Part, uuidFromId } from '@attache/contracts';
import { type AgentRow, type Marked, markWriting, type OwnerWritten } from '@attache/database';
import { attachmentsOf, measureHeld } from '@attache/domain';
import { noteEvent } from '@attache/telemetry';
import type { BroughtHistory } from '../history/bring-history.ts';
import { attachmentDeleted, attachmentNotGranted } from '../materialise/attachment-failures.ts';
import { type DeliveryTask, type RecordDeps, startMove } from './record-delivery.ts';

/** Thrown if nothing was written and nothing may be: the delivery was cancelled meanwhile, or failed if a failure is given. */
export class StoppedBeforeWrite extends Error {
  readonly failure: Failure | undefined;

  constructor(failure?: Failure) {
    super('the delivery was stopped before its first byte');
    this.failure = failure;
  }
}

/** Thrown if nothing was written because the history before the message is out of date. */
export class HistoryOutdated extends Error {}

type Writing = {
  history?: Pick<BroughtHistory, 'parts' | 'attachmentIds' | 'pages'> | undefined;
  /** Its program asks its model through the relay. */
  isWatched?: boolean;
};

/**
 * Notes that the first byte is about to be written; one that is not claimed yet is claimed with that. Returns the delivery as it is then. Throws
 * `StoppedBeforeWrite` if nothing may be written.
 */
export async function noteWriting(
  deps: RecordDeps,
  task: DeliveryTask,
  contents: Pick<DeliveryContents, 'text'>,
  { history, isWatched = false }: Writing = {},
): Promise<DeliveryTask> {
  const { session, row, agent } = task;
  const own = (row.parts ?? []).flatMap(attachmentsOf).map(uuidFromId);
  const attachmentIds = [...new Set([...own, ...(history?.attachmentIds ?? [])])];
  const parts = [...(history?.parts ?? []), ...(row.parts ?? [])];
  const { pages, ...measured } = measureHeld(parts, row.plan, contents.text);
  const held = { ...measured, pages: pages + (history?.pages ?? 0) };
  const facts = { attachmentIds, targetVersion: agent.targetVersion, held, isWatched };
  if (row.status === 'prepared') {
    const move = startMove(deps, task, 'claimed', facts);
    refuseUnlessMarked(await move.written, task);
    noteEvent('claimed', { 'session.epoch': move.task.row.epoch ?? 0 });
    return move.task;
  }
  refuseUnlessMarked(await deps.ownership.step(session, (fence) => markWriting(deps.db, row, facts, fence)), task);
  return task;
}

function refuseUnlessMarked(marked: Marked | OwnerWritten, { agent, row }: DeliveryTask): void {
  if ('attachmentId' in marked && !isOwn(row.parts ?? [], marked.attachmentId)) throw new HistoryOutdated();
  switch (marked.outcome) {
    case 'marked':
    case 'written':
      return;
    case 'stale':
      throw new StoppedBeforeWrite();
    case 'target-changed':
      throw new StoppedBeforeWrite(targetChanged(agent));
    case 'attachment-gone':
      throw new StoppedBeforeWrite(attachmentDeleted(idFromUuid('attachment', marked.attachmentId)));
    case 'not-granted':
      throw new StoppedBeforeWrite(attachmentNotGranted(idFromUuid('attachment', marked.attachmentId)));
    default:
      marked satisfies never;
  }
}

// Its plan was for what the agent was before.
function targetChanged({ id, profile, model }: AgentRow): Failure {
  return {
    code: 'delivery_target_unknown',
    severity: 'error',
    agentId: idFromUuid('agent', id),
    userMessage: 'The agent has another target than this message was planned for. Send the message again.',
    diagnostic: `planned for an earlier target than ${profile}, ${model}`,
    retryable: false,
  };
}

const isOwn = (parts: readonly Part[], attachmentId: string): boolean =>
  parts.flatMap(attachmentsOf).some((id) => uuidFromId(id) === attachmentId);
