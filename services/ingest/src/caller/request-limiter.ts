import { Fault } from '@attache/contracts';
import type { SharedCounts } from '@attache/event-bus';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { type CountSharing, shareCounts } from './share-counts.ts';

/** The limits of all processes of ingest together. 0: no limit. */
export type RateLimits = {
  /** Requests of one API key, or of one session token's user; the mean of ten seconds. */
  perKeyPerSecond: number;
  /** Requests of one tenant by all its credentials, and in addition as many by its signed URLs; the mean of ten seconds. */
  perTenantPerSecond: number;
  /** Refused credentials of one client address, and in addition as many refused signatures and as many unknown origins. */
  failedAuthPerMinutePerAddress: number;
};

const defaultRateLimits: RateLimits = {
  perKeyPerSecond: 500,
  perTenantPerSecond: 2_000,
  failedAuthPerMinutePerAddress: 300,
};

/** Counts requests in this process's memory: no round trip. What others count is added as they tell it. What is over its limit is refused with `RATE_LIMITED`. */
export type RequestLimiter = {
  /** Refuses a credential that is over its limit already, before it costs a look-up. Counts nothing. */
  checkCredential(id: string): Promise<void>;
  /** Counts a request of an admitted credential. */
  countRequest(tenantId: string, credentialId: string): Promise<void>;
  /** Counts a request by a signed URL. */
  countSigned(tenantId: string): Promise<void>;
  /** Refuses an address that presented too many wrong credentials, or origins that nobody allows. Counts nothing. */
  checkAddress(address: string, kind?: 'credential' | 'origin'): Promise<void>;
  countFailure(kind: 'credential' | 'signature' | 'origin', address: string): Promise<void>;
};

const WINDOW_SECONDS = 10;

function limited(what: string, msBeforeNext: number): Fault {
  return new Fault('RATE_LIMITED', `${what}. Wait as long as Retry-After says.`, {
    retryable: true,
    retryAfterSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  });
}

type Counter = { count(key: string): Promise<void>; check(key: string): Promise<void> };

const countNothing: Counter = { count: async () => {}, check: async () => {} };

type CounterOptions = { name: string; what: string; points: number; duration: number };

function createCounter({ name, what, points, duration }: CounterOptions, sharing: CountSharing | undefined): Counter {
  if (points === 0) return countNothing;
  const limiter = new RateLimiterMemory({ points, duration });
  const share = sharing?.join(name, { limit: points, add: (key, count) => void limiter.penalty(key, count) });
  return {
    async count(key) {
      try {
        const { consumedPoints, msBeforeNext } = await limiter.consume(key, share?.readCost());
        share?.note(key, { isFirst: consumedPoints === 1, endsInMs: msBeforeNext });
      } catch (error) {
        throw error instanceof RateLimiterRes ? limited(what, error.msBeforeNext) : error;
      }
    },
    async check(key) {
      const present = await limiter.get(key);
      if (present && present.msBeforeNext > 0 && present.remainingPoints === 0)
        throw limited(what, present.msBeforeNext);
    },
  };
}

export function createRequestLimiter(
  limits: RateLimits = defaultRateLimits,
  sharedCounts?: SharedCounts | undefined,
): RequestLimiter {
  const { perKeyPerSecond, perTenantPerSecond, failedAuthPerMinutePerAddress } = limits;
  const sharing = sharedCounts && shareCounts(sharedCounts);
  const ofSeconds = (name: string, what: string, perSecond: number) =>
    createCounter({ name, what, points: perSecond * WINDOW_SECONDS, duration: WINDOW_SECONDS }, sharing);
  const credentials = ofSeconds('credential', 'This credential sends too many requests', perKeyPerSecond);
  const tenants = ofSeconds('tenant', 'Your platform sends too many requests', perTenantPerSecond);
  const signed = ofSeconds('signed', 'Too many files are read by signed URLs', perTenantPerSecond);
  const perMinute = (name: string, what: string) =>
    createCounter({ name, what, points: failedAuthPerMinutePerAddress, duration: 60 }, sharing);
  const failures = {
    credential: perMinute('refused-credential', 'Too many refused credentials came from this address'),
    signature: perMinute('refused-signature', 'Too many refused signatures came from this address'),
    origin: perMinute('refused-origin', 'Pages of too many unknown origins came from this address'),
  };
  return {
    checkCredential: credentials.check,
    async countRequest(tenantId, credentialId) {
      await credentials.count(credentialId);
      await tenants.count(tenantId);
    },
    countSigned: signed.count,
    checkAddress: (address, kind = 'credential') => failures[kind].check(address),
    countFailure: (kind, address) => failures[kind].count(address),
  };
}
