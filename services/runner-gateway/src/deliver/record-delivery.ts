import type { TurnOutcome } from '@attache/agent-process';
import { type Capability, type Failure, type FailureCode, idFromUuid, type Receipt } from '@attache/contracts';
import {
  appendEvents,
  type DeliveryRow,
  deliveryEventData,
  describeAgent,
  findDelivery,
  moveDelivery,
  type NextDelivery,
  stepDelivery,
} from '@attache/database';
import { heldNothing, resolveCapability } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { logDeliveryMoved, sinceAccepted } from '@attache/telemetry';
import type { HandedOut } from '../files/handed-out.ts';
import type { OwningDeps } from '../gateway-deps.ts';
import type { AgentHost } from '../host/agent-host.ts';
import type { HostedAgent } from '../host/launch-agent.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { composeReceipt } from './compose-receipt.ts';

const actor = { type: 'service', id: 'runner-gateway' } as const;

export type DeliverDeps = OwningDeps & { host: AgentHost; isDraining: () => boolean };

/** One delivery on its way: the row as this gateway last moved it, and what was read with it. */
export type Journey = Pick<NextDelivery, 'row' | 'agent' | 'attachments' | 'probes'> & {
  session: SessionKey;
  writtenAt: Date | undefined;
  /** What comes next may enter its turn. */
  onSteerable: () => void;
  /** Its agent is idle again. */
  isOver: boolean;
};

/** Moves a delivery and appends its event; an agent that gets one to do is busy. False: someone else moved it first. */
export async function recordMove(deps: DeliverDeps, journey: Journey, to: 'claimed' | 'written'): Promise<boolean> {
  const { session, row } = journey;
  const { epoch } = deps.ownership.fenceOf(session);
  const isMoved = await deps.ownership.step(session, (fence) =>
    stepDelivery(deps.db, {
      ...{ row, to, service: 'runner-gateway', fence },
      ...(to === 'claimed' ? { agentStatus: { to: 'busy' } } : {}),
      events: [{ kind: `delivery.${to}`, actor, data: { ...deliveryEventData(row), epoch } }],
    }),
  );
  if (!isMoved) return false;
  journey.row = { ...row, status: to, epoch };
  logDeliveryMoved(deps.log, { deliveryId: idFromUuid('delivery', row.id), status: to, epoch });
  return true;
}

/** Records that a delivery failed. What is already at its end stays there. `isForgotten`: its runtime holds nothing of it any more. */
export async function failDelivery(
  deps: Pick<DeliverDeps, 'ownership' | 'log'>,
  session: SessionKey,
  row: DeliveryRow,
  failure: Failure,
  { isForgotten = false } = {},
): Promise<void> {
  const isMoved = await deps.ownership.asOwner(session, async (tx, epoch) => {
    const present = await findDelivery(tx, row.id);
    if (!present || !['prepared', 'claimed', 'written'].includes(present.status)) return false;
    const moved = await moveDelivery(tx, present, {
      to: 'failed',
      service: 'runner-gateway',
      epoch,
      code: failure.code,
      set: isForgotten ? { failure, held: heldNothing } : { failure },
    });
    if (!moved) return false;
    const data = { ...deliveryEventData(present), failure };
    await appendEvents(tx, session.sessionId, [{ kind: 'delivery.failed', actor, data }]);
    return true;
  });
  if (isMoved) logEnd(deps, row, 'failed', failure.code);
}

/** Records the end of a turn with its receipt. */
export async function recordResponse(
  deps: DeliverDeps,
  journey: Journey,
  hosted: HostedAgent,
  turn: Extract<TurnOutcome, { status: 'responded' }> & { handedOut: HandedOut },
): Promise<void> {
  const { session, row } = journey;
  const respondedAt = new Date();
  const receipt = composeReceipt(row.plan, row.parts ?? [], capabilityOf(deps, journey), {
    writtenAt: journey.writtenAt ?? respondedAt,
    respondedAt,
    transport: hosted.transport,
    stopReason: turn.stopReason,
    proof: turn.proof,
    usage: turn.usage,
    removedMedia: turn.removedMedia,
    handedOut: turn.handedOut,
  });
  const { epoch } = deps.ownership.fenceOf(session);
  const diagnostic = describeRefusal(journey, turn, receipt);
  const data = { ...deliveryEventData(row), epoch, receipt, ...(diagnostic ? { diagnostic } : {}) };
  const isMoved = await deps.ownership.step(session, (fence) =>
    stepDelivery(deps.db, {
      ...{ row, to: 'responded', service: 'runner-gateway', fence, receipt },
      agentStatus: { to: 'idle', from: 'busy' },
      events: [{ kind: 'delivery.responded', actor, data }],
    }),
  );
  journey.isOver = isMoved;
  if (isMoved) logEnd(deps, row, 'responded');
}

/** Accepted by the transport is not understood by the model: a refusal is told beside the answer, and is no failure of the delivery (DL-58). */
function describeRefusal(
  { agent }: Journey,
  { stopReason, removedMedia }: Extract<TurnOutcome, { status: 'responded' }>,
  { items }: Receipt,
): Failure | undefined {
  // A file that went by no part of the message was not refused.
  const sent = items.filter(({ sha256 }) => sha256 !== undefined);
  if (sent.every(({ verdict }) => verdict === 'delivered') || (stopReason !== 'refusal' && !removedMedia))
    return undefined;
  return {
    code: 'attachment_provider_rejected',
    severity: 'warning',
    agentId: idFromUuid('agent', agent.id),
    provider: agent.provider,
    model: agent.model,
    userMessage: 'The model answered, but would not take all that was attached. Send it in another form.',
    diagnostic: removedMedia ? 'the runtime took a file out of the conversation' : `the turn ended as ${stopReason}`,
    retryable: false,
  };
}

/** Cancels a delivery whose session or agent is gone, unless it was moved on since `row` was read, or a byte may have been written. */
export async function cancelUnwritten(deps: DeliverDeps, session: SessionKey, row: DeliveryRow): Promise<void> {
  await deps.ownership.asOwner(session, async (tx, epoch) => {
    const move = {
      to: 'cancelled',
      service: 'runner-gateway',
      epoch,
      code: 'delivery_cancelled',
      onlyUnwritten: true,
    } as const;
    if (!(await moveDelivery(tx, row, move))) return;
    await appendEvents(tx, session.sessionId, [{ kind: 'delivery.cancelled', actor, data: deliveryEventData(row) }]);
  });
}

function logEnd(
  deps: Pick<DeliverDeps, 'log'>,
  row: DeliveryRow,
  status: 'responded' | 'failed',
  code?: FailureCode,
): void {
  const deliveryId = idFromUuid('delivery', row.id);
  logDeliveryMoved(deps.log, { deliveryId, status, code, sinceAcceptedMs: sinceAccepted(row) });
}

function capabilityOf(deps: DeliverDeps, { agent, probes }: Journey): Capability {
  const profile = deps.profiles[agent.profile];
  return resolveCapability(
    {
      target: describeAgent(agent).target,
      command: profile?.command,
      declared: probes.get(agent.profile),
      profileCapability: profile?.capability,
      lineBytes: profile?.limits.lineBytes,
    },
    catalog,
  );
}
