import type { IngestDeps } from '../ingest-deps.ts';

/** Resolves at the next ring of the session's log, or after `timeoutMs`. */
export function waitForLog(deps: Pick<IngestDeps, 'doorbells'>, sessionId: string, timeoutMs: number): Promise<void> {
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
