import type { IngestDeps } from '../ingest-deps.ts';

/** Resolves at the next ring of the session's log, or after `timeoutMs`. */
export async function waitForLog(
  deps: Pick<IngestDeps, 'doorbells'>,
  sessionId: string,
  timeoutMs: number,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const stopListening = deps.doorbells.listen(`log:${sessionId}`, () => resolve());
  const timer = setTimeout(resolve, timeoutMs);
  await promise;
  clearTimeout(timer);
  stopListening();
}
