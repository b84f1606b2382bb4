import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Failure, Fault, idFromUuid, isFault, type Part, type TraceContext } from '@attache/contracts';
import { type AgentRow, type DeliveryRow, markWriting, setAgentStatus, untilAnswered } from '@attache/database';
import { currentTrace, noteEvent, recordStage, withSpan } from '@attache/telemetry';
import type { HostedAgent } from './launch-agent.ts';
import { materialiseParts } from './materialise-parts.ts';
import { type DeliverDeps, failDelivery, type Journey, recordMove, recordResponse } from './record-delivery.ts';
import type { SessionKey } from './session-ownership.ts';

/** Thrown when a delivery was cancelled before its first byte: nothing was written, and nothing is to be recorded. */
class CancelledBeforeWrite extends Error {}

async function runTurn(deps: DeliverDeps, journey: Journey, hosted: HostedAgent, folder: string): Promise<void> {
  const { session, row, agent } = journey;
  const { tenantId } = session;
  const startedAt = performance.now();
  const materialised = await withSpan({ name: 'attachment.materialise' }, () =>
    untilAnswered(
      () =>
        materialiseParts(deps, {
          tenantId,
          parts: row.parts ?? [],
          folder,
          embedsText: hosted.running.declared.embeddedContext,
        }),
      deps.ownership.isWaiting,
    ),
  );
  if (materialised.status === 'failed') return failDelivery(deps, session, row, materialised.failure);
  recordStage('materialise', performance.now() - startedAt);
  const deliveryId = idFromUuid('delivery', row.id);
  const name = `invoke_agent ${agent.name}`;
  const attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': idFromUuid('agent', agent.id),
    'gen_ai.provider.name': agent.provider,
    'gen_ai.request.model': agent.model,
    'gen_ai.conversation.id': idFromUuid('session', session.sessionId),
  };
  const turnStartedAt = performance.now();
  const turn = await withSpan({ name, attributes }, async (span) => {
    hosted.setTurn({ deliveryId, trace: currentTrace() });
    const outcome = await hosted.running.deliver({
      deliveryId,
      parts: materialised.parts,
      trace: currentTrace() as TraceContext | undefined,
      async onWriting() {
        const isMine = await deps.ownership.step(session, (fence) => markWriting(deps.db, row, fence));
        if (!isMine) throw new CancelledBeforeWrite();
        span.addEvent('writing');
      },
      async onWritten() {
        journey.writtenAt = new Date();
        await recordMove(deps, journey, 'written');
        span.addEvent('written');
      },
    });
    span.setAttribute('delivery.outcome', outcome.status === 'responded' ? outcome.stopReason : outcome.failure.code);
    return outcome;
  }).finally(() => hosted.setTurn(undefined));
  recordStage('turn', performance.now() - turnStartedAt);
  if (turn.status === 'responded') {
    await recordResponse(deps, journey, hosted, turn);
    return noteEvent('confirmed');
  }
  // A gateway that stops leaves what it cut off to its next life: given back if never written, else of unknown outcome.
  if (!deps.isDraining()) await failDelivery(deps, session, journey.row, turn.failure);
}

async function travel(deps: DeliverDeps, journey: Journey): Promise<void> {
  const { session, agent } = journey;
  if (!(await recordMove(deps, journey, 'claimed'))) return;
  noteEvent('claimed', { 'session.epoch': journey.row.epoch ?? 0 });
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
  await deps.ownership.asOwner(session, (tx) => setAgentStatus(tx, agent.id, 'idle', 'busy'));
}

const bytesOf = (parts: readonly Part[] | null): number =>
  (parts ?? []).reduce((sum, part) => sum + (part.type === 'text' ? 0 : part.bytes.sizeBytes), 0);

function unexpected(error: unknown): Failure {
  return {
    code: 'delivery_runtime_transport_failed',
    severity: 'error',
    userMessage: 'The delivery failed on our side. Retry it; if it stays, report its trace id.',
    diagnostic: error instanceof Fault ? error.code : error instanceof Error ? error.name : 'unknown',
    retryable: true,
  };
}

/** A delivery that is next, its agent, and the traces that made what it brings. */
export type NextDelivery = { row: DeliveryRow; agent: AgentRow; links: readonly (TraceContext | undefined)[] };

/** Brings one prepared delivery to its agent: claimed, written, responded, or failed by code. Hangs under its message's trace. */
export async function deliver(
  deps: DeliverDeps,
  session: SessionKey,
  { row, agent, links }: NextDelivery,
): Promise<void> {
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
