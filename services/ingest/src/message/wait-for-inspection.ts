import { type Failure, Fault } from '@attache/contracts';
import { readStoredAttachments, type StoredAttachment } from '@attache/database';
import type { Caller } from '../caller/caller.ts';
import type { IngestDeps } from '../ingest-deps.ts';
import { waitForLog } from '../log/wait-for-log.ts';

const WAIT_MS = 5_000;
// The ring of the session log wakes earlier; this is the fallback when one was lost.
const POLL_MS = 1_000;

function describePending({ attachment: { id } }: StoredAttachment, waitMs: number): Failure {
  return {
    code: 'attachment_pending',
    severity: 'error',
    attachmentId: id,
    userMessage: 'The attachment is still being inspected. Try again in a moment.',
    diagnostic: `not inspected after ${waitMs} ms`,
    retryable: true,
  };
}

export type WaitDeps = Pick<IngestDeps, 'db' | 'doorbells'> & { settings: Pick<IngestDeps['settings'], 'limits'> };

/** Waits up to 5 s until none of these attachments is pending; else a retryable `ATTACHMENT_PENDING`. */
export async function waitForInspection(
  deps: WaitDeps,
  caller: Pick<Caller, 'tenantId'>,
  sessionId: string,
  attachmentIds: readonly string[],
): Promise<void> {
  const waitMs = deps.settings.limits?.inspectionMs ?? WAIT_MS;
  const until = performance.now() + waitMs;
  let stillPending: StoredAttachment[] = [];
  for (;;) {
    const leftMs = until - performance.now();
    // Listens before it looks, so that a ring in between is not lost.
    const rung = waitForLog(deps, sessionId, Math.max(1, Math.min(leftMs, POLL_MS)));
    const stored = await readStoredAttachments(deps.db, caller.tenantId, attachmentIds);
    stillPending = stored.filter(({ attachment }) => attachment.status === 'pending');
    if (stillPending.length === 0) return;
    if (leftMs <= 0) break;
    await rung;
  }
  throw new Fault('ATTACHMENT_PENDING', 'An attachment is still being inspected. Send the message again in a moment.', {
    retryable: true,
    retryAfterSeconds: 2,
    failures: stillPending.map((stored) => describePending(stored, waitMs)),
  });
}
