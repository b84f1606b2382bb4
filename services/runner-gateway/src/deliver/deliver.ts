import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeliveryContents } from '@attache/agent-process';
import { type Failure, Fault, idFromUuid, isFault, type TraceContext, uuidFromId } from '@attache/contracts';
import { forgetVariant, type NextDelivery, setAgentStatus } from '@attache/database';
import { currentTrace, noteEvent, recordStage, withSpan } from '@attache/telemetry';
import type { HostedAgent } from '../host/launch-agent.ts';
import type { RunningTurn } from '../output/output-sink.ts';
import type { SessionKey } from '../ownership/session-ownership.ts';
import { fitsInMemory, type Materialised, materialiseParts, sumBytes } from './materialise-parts.ts';
import { noteWriting, StoppedBeforeWrite } from './note-writing.ts';
import { type DeliverDeps, failDelivery, type Journey, recordMove, recordResponse } from './record-delivery.ts';

async function materialise(
  deps: DeliverDeps,
  { session, row, attachments }: Journey,
  folder: string | undefined,
): Promise<Materialised> {
  const startedAt = performance.now();
  const materialised = await withSpan({ name: 'attachment.materialise' }, () =>
    materialiseParts(deps, { parts: row.parts ?? [], plan: row.plan, attachments, folder }),
  );
  for (const { variantId, blobKey } of materialised.lost)
    await deps.db.asTenant(session.tenantId, (tx) => forgetVariant(tx, uuidFromId(variantId), blobKey));
  if (materialised.status === 'ready') recordStage('materialise', performance.now() - startedAt);
  return materialised;
}

async function runTurn(
  deps: DeliverDeps,
  journey: Journey,
  hosted: HostedAgent,
  contents: DeliveryContents,
): Promise<void> {
  const { session, row, agent } = journey;
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
  let running: RunningTurn | undefined;
  const handedOut: RunningTurn['handedOut'] = new Map();
  const turn = await withSpan({ name, attributes }, async (span) => {
    running = { deliveryId, trace: currentTrace(), handedOut };
    hosted.setTurn(running);
    const outcome = await hosted.running.deliver({
      deliveryId,
      parts: row.parts ?? [],
      contents,
      trace: currentTrace() as TraceContext | undefined,
      async onWriting() {
        await noteWriting(deps, journey, contents);
        span.addEvent('writing');
      },
      async onWritten() {
        journey.writtenAt = new Date();
        await recordMove(deps, journey, 'written');
        span.addEvent('written');
      },
      onSteerable: journey.onSteerable,
    });
    span.setAttribute('delivery.outcome', outcome.status === 'responded' ? outcome.stopReason : outcome.failure.code);
    return outcome;
  }).finally(() => running && hosted.endTurn(running));
  recordStage('turn', performance.now() - turnStartedAt);
  await hosted.keepReference();
  if (turn.status === 'responded') {
    await recordResponse(deps, journey, hosted, { ...turn, handedOut });
    return noteEvent('confirmed');
  }
  // A gateway that stops leaves what it cut off to its next life: given back if never written, else of unknown outcome.
  if (!deps.isDraining()) await failDelivery(deps, session, journey.row, turn.failure, turn);
}

async function travel(deps: DeliverDeps, journey: Journey): Promise<void> {
  const { session, agent } = journey;
  // A small delivery's bytes are on their way while it is claimed.
  const isEarly = fitsInMemory(journey.row.parts ?? []) && !deps.drivers[agent.runtime]?.traits.takesFiles;
  const early = isEarly ? materialise(deps, journey, undefined) : undefined;
  early?.catch(() => {});
  if (!(await recordMove(deps, journey, 'claimed'))) return;
  noteEvent('claimed', { 'session.epoch': journey.row.epoch ?? 0 });
  const started = await withSpan({ name: 'agent.start' }, () => deps.host.start(session, agent));
  if (started.status === 'failed') {
    await settleAgentStatus(deps, journey);
    return deps.isDraining() ? undefined : failDelivery(deps, session, journey.row, started.failure);
  }
  const folder = join(started.agent.folder, 'inbox', idFromUuid('delivery', journey.row.id));
  try {
    const materialised = await (early ?? materialise(deps, journey, folder));
    if (materialised.status === 'ready') await runTurn(deps, journey, started.agent, materialised.contents);
    else await failDelivery(deps, session, journey.row, materialised.failure);
  } finally {
    if (!early) await rm(folder, { recursive: true, force: true });
    deps.host.rest(agent.id, started.agent);
    if (!journey.isOver) await settleAgentStatus(deps, journey);
  }
}

async function settleAgentStatus(deps: DeliverDeps, { session, agent }: Journey): Promise<void> {
  await deps.ownership.asOwner(session, (tx) => setAgentStatus(tx, agent.id, 'idle', 'busy'));
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

/**
 * Brings one prepared delivery to its agent: claimed, written, responded, or failed by code. Hangs under its message's trace, and is
 * linked to those that made what it brings. `onSteerable` is called when another one may enter its turn.
 */
export async function deliver(
  deps: DeliverDeps,
  session: SessionKey,
  next: NextDelivery,
  onSteerable: () => void,
): Promise<void> {
  const { row, agent, attachments } = next;
  const links = attachments.map(({ trace }) => trace ?? undefined);
  const attributes = {
    'delivery.id': idFromUuid('delivery', row.id),
    'delivery.attempt': row.attempts,
    'delivery.runtime': agent.runtime,
    'delivery.bytes': sumBytes(row.parts ?? []),
  };
  const journey: Journey = { ...next, session, writtenAt: undefined, onSteerable, isOver: false };
  await withSpan(
    { name: 'attachment.deliver', kind: 'consumer', parent: row.trace ?? 'root', links, attributes },
    async () => {
      try {
        await travel(deps, journey);
      } catch (error) {
        if (error instanceof StoppedBeforeWrite)
          return error.failure && failDelivery(deps, session, journey.row, error.failure);
        if (isFault(error, 'OWNERSHIP_LOST')) throw error;
        deps.log.error({ err: error }, 'delivery.failed_unexpectedly');
        await failDelivery(deps, session, journey.row, unexpected(error));
      }
    },
  );
}
