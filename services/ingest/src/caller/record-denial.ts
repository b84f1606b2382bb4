import { appendAudit } from '@attache/database';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { IngestDeps } from '../ingest-deps.ts';
import type { Caller } from './caller.ts';

/** Entries of one tenant per minute and process: who keeps trying does not fill the log. */
const MAX_PER_MINUTE = 20;

export type Denial = { route: string; right: string | undefined; subjectId: string | undefined };

/** Notes in the tenant's audit log that a caller lacked a right. Never fails: the refusal itself is the answer. */
export type DenialRecorder = (caller: Caller, denial: Denial) => Promise<void>;

export function createDenialRecorder(deps: Pick<IngestDeps, 'db' | 'log'>): DenialRecorder {
  const limiter = new RateLimiterMemory({ points: MAX_PER_MINUTE, duration: 60 });
  return async ({ tenantId, actor }, { route, right, subjectId }) => {
    const isWithin = await limiter.consume(tenantId).then(
      () => true,
      () => false,
    );
    if (!isWithin) return;
    const entry = { tenantId, actor, action: 'access.denied' as const, ...(subjectId ? { subjectId } : {}) };
    const data = { route, ...(right ? { right } : {}) };
    try {
      await deps.db.asTenant(tenantId, (tx) => appendAudit(tx, { ...entry, data }));
    } catch (error) {
      deps.log.warn({ err: error }, 'denial.not_recorded');
    }
  };
}
