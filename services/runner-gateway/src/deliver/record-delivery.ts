import type { TurnOutcome } from '@attache/agent-process';
import { type ContinuedBy, type Failure, type FailureCode, idFromUuid, type Receipt } from '@attache/contracts';
import {
  type DeliveryRow,
  findDelivery,
  type NextDelivery,
  type OwnerWritten,
  stateOf,
  type WritingFacts,
} from '@attache/database';
import { type Decision, decideDelivery, type Refusal, redactDiagnostic, requireDecision } from '@attache/domain';
import { logDeliveryMoved, recordProvenItems, sinceAccepted } from '@attache/telemetry';
import type { HandedOut } from '../files/handed-out.ts';
import { noteFindings } from '../findings/note-findings.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import { capabilityOf } from '../host/capability-of.ts';
import type { HostedAgent } from '../host/launch-agent.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { readReason } from '../relay/read-reason.ts';
import { composeReceipt, type ModelCalls } from './compose-receipt.ts';
import { describeDoubt } from './describe-doubt.ts';

export type RecordDeps = Pick<OwningDeps, 'db' | 'ownership' | 'log'>;

/** One delivery on its way: the row as this gateway moved it last, and the rows that were read with it. */
export type DeliveryTask = Readonly<
  Pick<NextDelivery, 'row' | 'agent' | 'attachments' | 'probes' | 'quarantined' | 'isRung'> & { session: SessionKey }
>;

/** Called with what an agent is to get next, null for nothing. */
export type OnNext = (next: NextDelivery | null) => void;

/** A move that has its place in the order of its session's writes. */
export type StartedMove = {
  /** The delivery as it is once that is committed. */
  task: DeliveryTask;
  /** `stale`: someone else moved it first. */
  written: Promise<OwnerWritten>;
};

/**
 * Moves a delivery. With `writing` only if its first byte may be written now, which is noted with the move. What a ring brought is claimed only if the
 * database has the same.
 */
export function startMove(
  deps: RecordDeps,
  task: DeliveryTask,
  kind: 'claimed' | 'written',
  writing?: WritingFacts,
): StartedMove {
  const { session, row } = task;
  const { epoch } = deps.ownership.fenceOf(session);
  const decision = requireDecision(stateOf(row), { kind, epoch });
  const { memoryVersion } = task.agent;
  const seen = task.isRung && kind === 'claimed' ? { plan: row.plan, parts: row.parts, memoryVersion } : undefined;
  const written = deps.ownership.write(session, row.agentId, { decision, writing, seen }).then((answer) => {
    if (answer.outcome === 'written') {
      const deliveryId = idFromUuid('delivery', row.id);
      logDeliveryMoved(deps.log, { deliveryId, status: kind, epoch, sinceAcceptedMs: sinceAccepted(row) });
    }
    return answer;
  });
  return { task: { ...task, row: { ...row, ...decision.move.set, status: kind, epoch } }, written };
}

/** The same, once it is committed. Undefined: someone else moved it first. */
export async function recordMove(
  deps: RecordDeps,
  task: DeliveryTask,
  kind: 'claimed' | 'written',
): Promise<DeliveryTask | undefined> {
  const { task: moved, written } = startMove(deps, task, kind);
  return (await written).outcome === 'written' ? moved : undefined;
}

/**
 * Records that an attempt of a delivery failed. What has ended, or was planned again since, stays as it is. `isForgotten`: its runtime holds nothing of it any
 * more.
 */
export async function failDelivery(
  deps: RecordDeps,
  session: SessionKey,
  row: DeliveryRow,
  failure: Failure,
  { isForgotten = false } = {},
): Promise<void> {
  const present = await readPresent(deps, session, row);
  if (present?.attempts !== row.attempts) return;
  const decision = decideDelivery(stateOf(present), { kind: 'failed', failure, isForgotten });
  if ('refusal' in decision || !(await applyAsOwner(deps, session, decision))) return;
  logEnd(deps, row, 'failed', failure.code);
}

type Responded = Extract<TurnOutcome, { status: 'responded' }> & {
  handedOut: HandedOut;
  writtenAt: Date | undefined;
  modelCalls: ModelCalls;
  /** The provider's last one to a request of the turn. */
  refusal?: Refusal | undefined;
  /** Its program has not asked for the tools that open files. */
  lacksTools: boolean;
  /** In the first turn of a process. */
  continuedBy?: ContinuedBy | undefined;
};

/**
 * Records the end of a turn with its receipt, and that its agent is idle again; tells `onNext` what the same transaction found next in its line. False:
 * someone else moved the delivery first.
 */
export async function recordResponse(
  deps: RecordDeps & Pick<OwningDeps, 'profiles'>,
  task: DeliveryTask,
  { transport, program }: Pick<HostedAgent, 'transport' | 'program'>,
  turn: Responded,
  onNext: OnNext = () => undefined,
): Promise<boolean> {
  const { session, row } = task;
  const respondedAt = new Date();
  const { writtenAt = respondedAt, stopReason, proof, usage, removedMedia, handedOut, modelCalls, continuedBy } = turn;
  const times = { writtenAt, respondedAt };
  const receipt = composeReceipt(row.plan, row.parts ?? [], capabilityOf(deps, task), {
    ...{ ...times, transport, stopReason, proof, usage, removedMedia, handedOut, modelCalls },
    continuedBy,
  });
  const { epoch } = deps.ownership.fenceOf(session);
  const diagnostic = describeRefusal(task, turn, receipt) ?? describeDoubt(task, turn, receipt);
  const decision = requireDecision(stateOf(row), { kind: 'responded', epoch, receipt, diagnostic });
  const written = await deps.ownership.write(session, row.agentId, { decision, answersNext: true });
  if (written.outcome !== 'written') return false;
  if (written.next !== undefined) onNext(written.next);
  logEnd(deps, row, 'responded');
  recordProvenItems(receipt.items);
  await noteFindings(deps, program, { ...session, deliveryId: row.id, receipt, attachments: task.attachments });
  return true;
}

/** Cancels a delivery whose session or agent is gone, unless it was moved on since `row` was read, or a byte may have been written. */
export async function cancelUnwritten(deps: RecordDeps, session: SessionKey, row: DeliveryRow): Promise<void> {
  const decision = decideDelivery(stateOf(row), { kind: 'agent-gone' });
  if ('move' in decision) await applyAsOwner(deps, session, decision);
}

/** The row as it is once the database answers. */
export function readPresent(
  { db, ownership }: RecordDeps,
  session: SessionKey,
  { id }: Pick<DeliveryRow, 'id'>,
): Promise<DeliveryRow | undefined> {
  return ownership.step(session, () => db.readAsTenant(session.tenantId, (tx) => findDelivery(tx, id)));
}

/** False: someone else moved the delivery first. */
export async function applyAsOwner(
  { ownership }: RecordDeps,
  session: SessionKey,
  decision: Decision,
): Promise<boolean> {
  const { outcome } = await ownership.write(session, decision.move.from.agentId, { decision });
  return outcome === 'written';
}

/** Accepted by the transport is not understood by the model: a refusal is reported in addition to the answer, and is no failure of the delivery (DL-58). */
function describeRefusal(
  { agent }: DeliveryTask,
  { stopReason, removedMedia, refusal }: Responded,
  { items }: Receipt,
): Failure | undefined {
  // A file that went by no part of the message was not refused.
  const sent = items.filter(({ sha256 }) => sha256 !== undefined);
  const isRefused = stopReason === 'refusal' || removedMedia || sent.some(({ verdict }) => verdict === 'refused');
  if (sent.every(({ verdict }) => verdict === 'delivered') || !isRefused) return undefined;
  return {
    code: 'attachment_provider_rejected',
    severity: 'warning',
    agentId: idFromUuid('agent', agent.id),
    provider: agent.provider,
    model: agent.model,
    userMessage: 'The model answered, but would not take all that was attached. Send it in another form.',
    diagnostic: describeReason({ stopReason, removedMedia, refusal }),
    retryable: false,
  };
}

/** In the provider's own text, redacted, if it was seen. */
function describeReason({
  stopReason,
  removedMedia = false,
  refusal,
}: Pick<Responded, 'stopReason' | 'refusal'> & { removedMedia?: boolean | undefined }): string {
  if (refusal !== undefined) return `status ${refusal.status}: ${redactDiagnostic(readReason(refusal.text), 500)}`;
  return removedMedia ? 'the runtime took a file out of the conversation' : `the turn ended as ${stopReason}`;
}

export function logEnd(
  deps: Pick<RecordDeps, 'log'>,
  row: DeliveryRow,
  status: 'responded' | 'failed',
  code?: FailureCode,
): void {
  const deliveryId = idFromUuid('delivery', row.id);
  logDeliveryMoved(deps.log, { deliveryId, status, code, sinceAcceptedMs: sinceAccepted(row) });
}
