import { type BusMessage, type Failure, type FailureCode, idFromUuid, type TraceContext } from '@attache/contracts';
import { applyDecision, type DeliveryDraft, type DeliveryRow, readDraft, stateOf } from '@attache/database';
import { composeParts, requireDecision } from '@attache/domain';
import { describeProcess, logDeliveryMoved, recordStage, sinceAccepted, withSpan } from '@attache/telemetry';
import { type BuiltParts, buildParts } from './build-parts.ts';
import type { ProjectorDeps } from './projector-deps.ts';
import type { VariantDeps } from './variants/make-variants.ts';

type Queued = Extract<BusMessage, { subject: 'delivery.queued' }>;

function textErased(): Failure {
  return {
    code: 'attachment_missing',
    severity: 'error',
    userMessage: 'The text of this message was erased before it was delivered.',
    diagnostic: 'the message has no text row',
    retryable: false,
  };
}

async function build(
  deps: VariantDeps,
  { tenantId }: Queued['data'],
  { row, text, attachments }: DeliveryDraft,
): Promise<BuiltParts> {
  if (text === null) return { status: 'failed', failure: textErased() };
  const built = await buildParts(deps, { tenantId, plan: row.plan, attachments });
  if (built.status === 'failed') return built;
  const described = { attachments: attachments.map(({ attachment }) => attachment), itemParts: built.parts };
  return { status: 'built', parts: composeParts(text, row.plan, described) };
}

function settle(
  { db }: Pick<ProjectorDeps, 'db'>,
  message: Queued,
  row: DeliveryRow,
  built: BuiltParts,
): Promise<boolean> {
  const decision = requireDecision(
    stateOf(row),
    built.status === 'built'
      ? { kind: 'parts-built', parts: built.parts }
      : { kind: 'plan-failed', failure: built.failure },
  );
  return applyDecision(db, decision, { handledEventId: message.id });
}

/** Executes the frozen plan of a delivery: `prepared` with parts, or `failed` by code. Returns whether it did, and so settled the message. */
export async function executePlan(deps: VariantDeps & Pick<ProjectorDeps, 'log'>, message: Queued): Promise<boolean> {
  const draft = await readDraft(deps.db, message.data);
  if (!draft) return false;
  const { row, attachments } = draft;
  const deliveryId = idFromUuid('delivery', row.id);
  const links = [message.receivedIn, ...attachments.map(({ trace }): TraceContext | undefined => trace ?? undefined)];
  const attributes = { 'delivery.id': deliveryId, ...describeProcess(message, 'projector') };
  const span = {
    name: 'process delivery.queued',
    kind: 'consumer',
    parent: message.trace ?? 'root',
    links,
    attributes,
  } as const;
  return withSpan(span, async (active) => {
    const startedAt = performance.now();
    const built = await build(deps, message.data, draft);
    const status = built.status === 'built' ? 'prepared' : 'failed';
    const code: FailureCode | undefined = built.status === 'failed' ? built.failure.code : undefined;
    active.setAttribute('delivery.status', status);
    if (!(await settle(deps, message, row, built))) return false;
    recordStage('prepare', performance.now() - startedAt);
    logDeliveryMoved(deps.log, { deliveryId, status, code, sinceAcceptedMs: sinceAccepted(row) });
    return true;
  });
}
