import { isFault } from '@attache/contracts';
import { type Database, listTenantIds } from '@attache/database';
import type { Logger } from '@attache/telemetry';

const PAGE = 100;

/** Whether a server does not answer, so that continuing makes no sense now. */
const isDown = (error: unknown) => isFault(error, 'DATABASE_UNAVAILABLE') || isFault(error, 'STORAGE_UNAVAILABLE');

/** Does `work` for every tenant, one after the other. What fails for one tenant is logged and does not keep the others waiting. */
export async function forEachTenant(
  { db, log, signal }: { db: Database; log: Logger; signal?: AbortSignal | undefined },
  work: (tenantId: string) => Promise<void>,
): Promise<void> {
  let page: string[];
  let after: string | undefined;
  do {
    page = await listTenantIds(db, after, PAGE);
    for (const tenantId of page) {
      if (signal?.aborted) return;
      await work(tenantId).catch((error: unknown) => {
        if (isDown(error)) throw error;
        log.error({ err: error, tenantId }, 'upkeep.tenant_failed');
      });
    }
    after = page.at(-1);
  } while (page.length === PAGE);
}
