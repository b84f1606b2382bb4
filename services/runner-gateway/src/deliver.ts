import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { TurnOutcome } from '@attache/agent-process';
import {
  type Capability,
  type Failure,
  Fault,
  idFromUuid,
  isFault,
  type Part,
  type TraceContext,
  uuidFromId,
} from '@attache/contracts';
import {
  type AgentRow,
  appendEvents,
  type DeliveryRow,
  deliveryEventData,
  describeAgent,
  findAgent,
  findDelivery,
  markWriting,
  moveDelivery,
  readAttachments,
  readProbes,
  setAgentStatus,
} from '@attache/database';
import { resolveCapability } from '@attache/domain';
import { currentTrace, logDeliveryMoved, withSpan } from '@attache/telemetry';
import type { AgentHost } from './agent-host.ts';
import { composeReceipt } from './compose-receipt.ts';
import type { OwningDeps } from './gateway-deps.ts';
import type { HostedAgent } from './launch-agent.ts';
import { materialiseParts } from './materialise-parts.ts';
import type { SessionKey, SessionOwnership } from './session-ownership.ts';

const actor = { type: 'service', id: 'runner-gateway' } as const;

export type DeliverDeps = OwningDeps & { host: AgentHost; isDraining: () => boolean };

/** One delivery on its way: the row as this gateway last moved it. */
type Journey = { session: SessionKey; row: DeliveryRow; agent: AgentRow; writtenAt: Date | undefined };

/** Thrown when a delivery was cancelled before its first byte: nothing was written, and nothing is to be recorded. */
class CancelledBeforeWrite extends Error {}

async function move(
  deps: DeliverDeps,
  journey: Journey,
  to: 'claimed' | 'written',
  alsoDo: (tx: Parameters<Parameters<SessionOwnership['asOwner']>[1]>[0], epoch: number) => Promise<void>,
): Promise<boolean> {
  const { session, row } = journey;
  const set = to === 'claimed' ? { writingAt: null } : {};
  return deps.ownership.asOwner(session, async (tx, epoch) => {
    if (!(await moveDelivery(tx, row, { to, service: 'runner-gateway', epoch, set: { ...set, epoch } }))) return false;
    await alsoDo(tx, epoch);
    await appendEvents(tx, session.sessionId, [
      { kind: `delivery.${to}`, actor, data: { ...deliveryEventData(row), epoch } },
    ]);
    journey.row = { ...row, status: to, epoch };
    logDeliveryMoved(deps.log, { deliveryId: idFromUuid('delivery', row.id), status: to, epoch });
    return true;
  });
}

/** Records that a delivery failed. What is already at its end stays there. */
export async function failDelivery(
  deps: Pick<DeliverDeps, 'ownership' | 'log'>,
  session: SessionKey,
  row: DeliveryRow,
  failure: Failure,
): Promise<void> {
  await deps.ownership.asOwner(session, async (tx, epoch) => {
    const present = await findDelivery(tx, row.id);
    if (!present || !['prepared', 'claimed', 'written'].includes(present.status)) return;
    const moved = await moveDelivery(tx, present, {
      to: 'failed',
      service: 'runner-gateway',
      epoch,
      code: failure.code,
      set: { failure },
    });
    if (!moved) return;
    const data = { ...deliveryEventData(present), failure };
    await appendEvents(tx, session.sessionId, [{ kind: 'delivery.failed', actor, data }]);
  });
  logDeliveryMoved(deps.log, { deliveryId: idFromUuid('delivery', row.id), status: 'failed', code: failure.code });
}

async function recordResponse(
  deps: DeliverDeps,
  journey: Journey,
  hosted: HostedAgent,
  turn: Extract<TurnOutcome, { status: 'responded' }>,
): Promise<void> {
  const { session, row } = journey;
  const respondedAt = new Date();
  const capability = await readCapability(deps, journey.agent);
  const receipt = composeReceipt(row.plan, row.parts ?? [], capability, {
    writtenAt: journey.writtenAt ?? respondedAt,
    respondedAt,
    transport: hosted.transport,
    stopReason: turn.stopReason,
    proof: turn.proof,
    usage: turn.usage,
  });
  await deps.ownership.asOwner(session, async (tx, epoch) => {
    if (!(await moveDelivery(tx, row, { to: 'responded', service: 'runner-gateway', epoch, set: { receipt } }))) return;
    const data = { ...deliveryEventData(row), epoch, receipt };
    await appendEvents(tx, session.sessionId, [{ kind: 'delivery.responded', actor, data }]);
  });
  logDeliveryMoved(deps.log, { deliveryId: idFromUuid('delivery', row.id), status: 'responded' });
}

async function readCapability(deps: DeliverDeps, agent: AgentRow): Promise<Capability> {
  const probes = await deps.db.asTenant(agent.tenantId, (tx) => readProbes(tx, [agent.profile]));
  const profile = deps.profiles[agent.profile];
  return resolveCapability({
    target: describeAgent(agent).target,
    declared: probes.get(agent.profile),
    profileCapability: profile?.capability,
    lineBytes: profile?.limits.lineBytes ?? 0,
  });
}

async function runTurn(deps: DeliverDeps, journey: Journey, hosted: HostedAgent, folder: string): Promise<void> {
  const { session, row, agent } = journey;
  const { tenantId } = session;
  const materialised = await withSpan({ name: 'attachment.materialise' }, () =>
    materialiseParts(deps, {
      tenantId,
      parts: row.parts ?? [],
      folder,
      embedsText: hosted.running.declared.embeddedContext,
    }),
  );
  if (materialised.status === 'failed') return failDelivery(deps, session, row, materialised.failure);
  const deliveryId = idFromUuid('delivery', row.id);
  const name = `invoke_agent ${agent.name}`;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': idFromUuid('agent', agent.id),
    'gen_ai.request.model': agent.model,
  };
  const turn = await withSpan({ name, attributes }, async (span) => {
    hosted.setTurn({ deliveryId, trace: currentTrace() });
    const outcome = await hosted.running.deliver({
      deliveryId,
      parts: materialised.parts,
      trace: currentTrace() as TraceContext | undefined,
      async onWriting() {
        const isMine = await deps.ownership.asOwner(session, (tx) => markWriting(tx, row));
        if (!isMine) throw new CancelledBeforeWrite();
        span.addEvent('writing');
      },
      async onWritten() {
        journey.writtenAt = new Date();
        await move(deps, journey, 'written', async () => {});
        span.addEvent('written');
      },
    });
    span.setAttribute('delivery.outcome', outcome.status === 'responded' ? outcome.stopReason : outcome.failure.code);
    return outcome;
  }).finally(() => hosted.setTurn(undefined));
  if (turn.status === 'responded') return recordResponse(deps, journey, hosted, turn);
  // A gateway that stops leaves what it cut off to its next life: given back if never written, else of unknown outcome.
  if (!deps.isDraining()) await failDelivery(deps, session, journey.row, turn.failure);
}

async function travel(deps: DeliverDeps, journey: Journey): Promise<void> {
  const { session, agent } = journey;
  const isClaimed = await move(deps, journey, 'claimed', async (tx) => {
    await setAgentStatus(tx, agent.id, 'busy');
  });
  if (!isClaimed) return;
  const started = await withSpan({ name: 'agent.start' }, () => deps.host.start(session, agent));
  if (started.status === 'failed') {
    await settleAgentStatus(deps, journey);
    return deps.isDraining() ? undefined : failDelivery(deps, session, journey.row, started.failure);
  }
  const folder = join(started.agent.folder, 'inbox', idFromUuid('delivery', journey.row.id));
  try {
    await rm(folder, { recursive: true, force: true });
    await runTurn(deps, journey, started.agent, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    deps.host.rest(agent.id);
    await settleAgentStatus(deps, journey);
  }
}

async function settleAgentStatus(deps: DeliverDeps, { session, agent }: Journey): Promise<void> {
  await deps.ownership.asOwner(session, async (tx) => {
    if ((await findAgent(tx, agent.id))?.status === 'busy') await setAgentStatus(tx, agent.id, 'idle');
  });
}

const bytesOf = (parts: readonly Part[] | null): number =>
  (parts ?? []).reduce((sum, part) => sum + (part.type === 'text' ? 0 : part.bytes.sizeBytes), 0);

async function readLinks(
  deps: DeliverDeps,
  session: SessionKey,
  row: DeliveryRow,
): Promise<(TraceContext | undefined)[]> {
  const ids = row.plan.items.map((item) => uuidFromId(item.attachmentId));
  const attachments = await deps.db.asTenant(session.tenantId, (tx) => readAttachments(tx, ids));
  return attachments.map(({ trace }) => trace ?? undefined);
}

function unexpected(error: unknown): Failure {
  return {
    code: 'delivery_runtime_transport_failed',
    severity: 'error',
    userMessage: 'The delivery failed on our side. Retry it; if it stays, report its trace id.',
    diagnostic: error instanceof Fault ? error.code : error instanceof Error ? error.name : 'unknown',
    retryable: true,
  };
}

/** Brings one prepared delivery to its agent: claimed, written, responded, or failed by code. Hangs under its message's trace. */
export async function deliver(
  deps: DeliverDeps,
  session: SessionKey,
  row: DeliveryRow,
  agent: AgentRow,
): Promise<void> {
  const links = await readLinks(deps, session, row);
  const attributes = {
    'delivery.id': idFromUuid('delivery', row.id),
    'delivery.attempt': row.attempts,
    'delivery.runtime': agent.runtime,
    'delivery.bytes': bytesOf(row.parts),
  };
  const journey: Journey = { session, row, agent, writtenAt: undefined };
  await withSpan(
    { name: 'attachment.deliver', kind: 'consumer', parent: row.trace ?? 'root', links, attributes },
    async () => {
      try {
        await travel(deps, journey);
      } catch (error) {
        if (error instanceof CancelledBeforeWrite) return;
        if (isFault(error, 'OWNERSHIP_LOST')) throw error;
        deps.log.error({ err: error }, 'delivery.failed_unexpectedly');
        await failDelivery(deps, session, journey.row, unexpected(error));
      }
    },
  );
}
