import { type BusMessage, uuidFromId } from '@attache/contracts';
import { readStoredAttachments, readWaitingProjection, settleProjectionJob } from '@attache/database';
import { describeProcess, recordStage, withSpan } from '@attache/telemetry';
import { buildParts } from './build-parts.ts';
import type { VariantDeps } from './variants/make-variants.ts';

type Requested = Extract<BusMessage, { subject: 'projection.requested' }>;

/**
 * Makes what a plan for a model API needs, and leaves its parts for whoever asked. One that was given up is skipped. Returns whether
 * it left something, and so settled the message.
 */
export async function executeProjection(deps: VariantDeps, message: Requested): Promise<boolean> {
  const { tenantId, sessionId, jobId } = message.data;
  const job = await readWaitingProjection(deps.db, { tenantId, jobId });
  if (!job) return false;
  const attributes = describeProcess(message, 'projector');
  const links = [message.receivedIn];
  const name = 'process projection.requested';
  return withSpan({ name, kind: 'consumer', parent: message.trace ?? 'root', links, attributes }, async () => {
    const startedAt = performance.now();
    const ids = job.plan.items.map(({ attachmentId }) => uuidFromId(attachmentId));
    const attachments = await readStoredAttachments(deps.db, tenantId, ids);
    const built = await buildParts(deps, { tenantId, plan: job.plan, attachments });
    const settled = { tenantId, sessionId, jobId, eventId: message.id };
    const isSettled = await settleProjectionJob(
      deps.db,
      settled,
      built.status === 'built' ? { state: 'done', parts: built.parts } : { state: 'failed', failure: built.failure },
    );
    recordStage('prepare', performance.now() - startedAt);
    return isSettled;
  });
}
