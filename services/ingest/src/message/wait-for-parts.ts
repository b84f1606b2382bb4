import { type AttachmentId, Fault, type Part, type ProjectionPlan, uuidFromId } from '@attache/contracts';
import {
  deleteProjectionJob,
  findProjectionJob,
  insertProjectionJob,
  readStoredAttachments,
  type StoredAttachment,
} from '@attache/database';
import { currentTrace } from '@attache/telemetry';
import type { IngestDeps } from '../ingest-deps.ts';
import { waitForLog } from '../log/wait-for-log.ts';

const WAIT_MS = 30_000;
// The ring wakes earlier; this is the fallback when one was lost.
const POLL_MS = 500;

type Job = { tenantId: string; sessionId: string; id: string; plan: ProjectionPlan };

/** Has the projector make what a plan needs, and waits for it: one part for each item, and the attachments with their variants. */
export async function waitForParts(
  deps: Pick<IngestDeps, 'db' | 'doorbells'>,
  job: Job,
): Promise<{ parts: Part[]; attachments: StoredAttachment[] }> {
  const { tenantId } = job;
  await deps.db.asTenant(tenantId, (tx) => insertProjectionJob(tx, { ...job, trace: currentTrace() }));
  try {
    const parts = await waitForEnd(deps, job);
    const ids = job.plan.items.map(({ attachmentId }: { attachmentId: AttachmentId }) => uuidFromId(attachmentId));
    return { parts, attachments: await readStoredAttachments(deps.db, tenantId, ids) };
  } finally {
    // If this fails, the job is removed by its age.
    await deps.db.asTenant(tenantId, (tx) => deleteProjectionJob(tx, job.id)).catch(() => {});
  }
}

async function waitForEnd({ db, doorbells }: Pick<IngestDeps, 'db' | 'doorbells'>, job: Job): Promise<Part[]> {
  const until = performance.now() + WAIT_MS;
  for (;;) {
    const leftMs = until - performance.now();
    // Listens before it looks, so that a ring in between is not lost.
    const rung = waitForLog({ doorbells }, job.sessionId, Math.max(1, Math.min(leftMs, POLL_MS)));
    const row = await db.readAsTenant(job.tenantId, (tx) => findProjectionJob(tx, job.id));
    if (row?.state === 'done' && row.parts) return row.parts;
    if (row?.state === 'failed' && row.failure) {
      const { failure } = row;
      throw new Fault('DELIVERY_BLOCKED', `Nothing was made. ${failure.userMessage}`, {
        failures: [failure],
        plans: [job.plan],
      });
    }
    if (leftMs <= 0) break;
    await rung;
  }
  throw new Fault(
    'PROJECTION_TIMEOUT',
    'The parts were not ready in time. Ask again: what was made until then is kept.',
    {
      retryable: true,
      retryAfterSeconds: 5,
    },
  );
}
