import { noteKeyUse } from '@attache/database';
import { RateLimiterMemory } from 'rate-limiter-flexible';
import type { IngestDeps } from '../ingest-deps.ts';

/** Notes by when an API key was used last, at most once a minute for each key and process. Never fails and is not waited for. */
export type KeyUse = { note(tenantId: string, keyId: string): Promise<void> };

export function createKeyUse({ db, log }: Pick<IngestDeps, 'db' | 'log'>): KeyUse {
  const limiter = new RateLimiterMemory({ points: 1, duration: 60 });
  return {
    async note(tenantId, keyId) {
      const isDue = await limiter.consume(keyId).then(
        () => true,
        () => false,
      );
      if (!isDue) return;
      try {
        await db.asTenant(tenantId, (tx) => noteKeyUse(tx, keyId));
      } catch (error) {
        await limiter.delete(keyId);
        log.warn({ err: error }, 'key.use_not_noted');
      }
    },
  };
}
