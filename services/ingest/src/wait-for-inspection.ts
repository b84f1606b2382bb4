import { Fault } from '@attache/contracts';
import { readStoredAttachments } from '@attache/database';
import type { Caller } from './caller.ts';
import type { IngestDeps } from './ingest-deps.ts';

const WAIT_MS = 5_000;
// The ring of the session log wakes earlier; this is the fallback when one was lost.
const POLL_MS = 1_000;

/** Resolves at the next ring of the session's log, or after `timeoutMs`. */
function waitForLog(deps: Pick<IngestDeps, 'doorbells'>, sessionId: string, timeoutMs: number): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(timer);
      stopListening();
      resolve();
    };
    const timer = setTimeout(finish, timeoutMs);
    const stopListening = deps.doorbells.listen(`log:${sessionId}`, finish);
  });
}

/** Waits up to 5 s until none of these attachments is pending; else a retryable `ATTACHMENT_PENDING`. */
export async function waitForInspection(
  deps: Pick<IngestDeps, 'db' | 'doorbells'>,
  caller: Pick<Caller, 'tenantId'>,
  sessionId: string,
  attachmentIds: readonly string[],
): Promise<void> {
  const until = Date.now() + WAIT_MS;
  for (;;) {
    const leftMs = until - Date.now();
    // Listens before it looks, so that a ring in between is not lost.
    const rung = waitForLog(deps, sessionId, Math.max(1, Math.min(leftMs, POLL_MS)));
    const stored = await readStoredAttachments(deps.db, caller.tenantId, attachmentIds);
    if (stored.every(({ attachment }) => attachment.status !== 'pending')) return;
    if (leftMs <= 0) break;
    await rung;
  }
  throw new Fault('ATTACHMENT_PENDING', 'An attachment is still being inspected. Send the message again in a moment.', {
    retryable: true,
    retryAfterSeconds: 2,
  });
}
