import { Fault } from '@attache/contracts';
import { createShares } from './shares.ts';

/** How many things of one sort may be open in one process at a time. 0: no limit. */
export type OpenLimits = { perKey: number; perTenant: number; all?: number | undefined };

/** Counts what each credential, each tenant and all together have open (BX-27, BX-32). */
export type OpenCounter = {
  /** Counts one until the given function is called; beyond a limit `RATE_LIMITED`, or `BACKLOG_FULL` where others hold all. */
  open(caller: OpenedBy): () => void;
};

/** A tenant, and one of its credentials. */
type OpenedBy = { tenantId: string; actor: { id: string } };

/** The end of a sentence that begins with who has too many open, and what to do then. */
export type OpenWords = { tooMany: string; todo: string };

const limitOf = (count = 0) => (count === 0 ? Number.POSITIVE_INFINITY : count);

export function createOpenCounter({ perKey, perTenant, all }: OpenLimits, words: OpenWords): OpenCounter {
  const credentials = createShares({ own: limitOf(perKey), all: Number.POSITIVE_INFINITY });
  const tenants = createShares({ own: limitOf(perTenant), all: limitOf(all) });
  return {
    open({ tenantId, actor }) {
      const ofCredential = credentials.take(`${tenantId} ${actor.id}`, 1);
      if (typeof ofCredential !== 'function') throw tooMany('This credential', words);
      const ofTenant = tenants.take(tenantId, 1);
      if (typeof ofTenant !== 'function') {
        ofCredential();
        throw ofTenant === 'own' ? tooMany('Your platform', words) : full(words);
      }
      return () => {
        ofCredential();
        ofTenant();
      };
    },
  };
}

const tooMany = (whose: string, words: OpenWords): Fault =>
  new Fault('RATE_LIMITED', `${whose} ${words.tooMany} at once. ${words.todo}`, {
    retryable: true,
    retryAfterSeconds: 5,
  });

const full = ({ tooMany: what }: OpenWords): Fault =>
  new Fault('BACKLOG_FULL', `Everybody together ${what} at once. Send the request again in a moment.`, {
    retryable: true,
    retryAfterSeconds: 5,
  });
