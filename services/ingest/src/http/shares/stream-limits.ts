import { Fault } from '@attache/contracts';
import type { Caller } from '../../caller/caller.ts';
import type { StreamLimits } from '../../ingest-limits.ts';
import { createShares } from './shares.ts';

const defaultStreamLimits: StreamLimits = { perKey: 1_000, perTenant: 2_000 };

/** Counts the event streams of each credential and of each tenant (BX-27). */
export type StreamCounter = {
  /** Counts a stream until the given function is called; `RATE_LIMITED` beyond a limit. */
  open(caller: Pick<Caller, 'tenantId' | 'actor'>): () => void;
};

function tooMany(whose: string): Fault {
  const why = `${whose} follows too many sessions at once. Close streams that nobody reads, or read pages of events.`;
  return new Fault('RATE_LIMITED', why, { retryable: true, retryAfterSeconds: 5 });
}

const limitOf = (count: number) => ({
  own: count === 0 ? Number.POSITIVE_INFINITY : count,
  all: Number.POSITIVE_INFINITY,
});

export function createStreamCounter({ perKey, perTenant }: StreamLimits = defaultStreamLimits): StreamCounter {
  const credentials = createShares(limitOf(perKey));
  const tenants = createShares(limitOf(perTenant));
  return {
    open({ tenantId, actor }) {
      const ofCredential = credentials.take(actor.id, 1);
      if (typeof ofCredential !== 'function') throw tooMany('This credential');
      const ofTenant = tenants.take(tenantId, 1);
      if (typeof ofTenant !== 'function') {
        ofCredential();
        throw tooMany('Your platform');
      }
      return () => {
        ofCredential();
        ofTenant();
      };
    },
  };
}
