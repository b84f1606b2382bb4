import { Fault } from '@attache/contracts';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';

/** What one process admits. 0: no limit. */
export type RateLimits = {
  /** Requests of one API key, or of one session token's user; the mean of ten seconds. */
  perKeyPerSecond: number;
  /** Requests of one tenant by all its credentials, and beside them as many by its signed URLs; the mean of ten seconds. */
  perTenantPerSecond: number;
  /** Refused credentials of one client address, and beside them as many refused signatures. */
  failedAuthPerMinutePerAddress: number;
};

export const defaultRateLimits: RateLimits = {
  perKeyPerSecond: 500,
  perTenantPerSecond: 2_000,
  failedAuthPerMinutePerAddress: 300,
};

/** Counts requests in this process's memory: no round trip. What is over its limit is refused with `RATE_LIMITED`. */
export type RequestLimiter = {
  /** Refuses a credential that is over its limit already, before it costs a look-up. Counts nothing. */
  checkCredential(id: string): Promise<void>;
  /** Counts a request of an admitted credential. */
  countRequest(tenantId: string, credentialId: string): Promise<void>;
  /** Counts a request by a signed URL. */
  countSigned(tenantId: string): Promise<void>;
  /** Refuses an address that presented too many wrong credentials. Counts nothing. */
  checkAddress(address: string): Promise<void>;
  countFailure(kind: 'credential' | 'signature', address: string): Promise<void>;
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

function createCounter(what: string, points: number, duration: number): Counter {
  if (points === 0) return countNothing;
  const limiter = new RateLimiterMemory({ points, duration });
  return {
    async count(key) {
      try {
        await limiter.consume(key);
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

export function createRequestLimiter(limits: RateLimits = defaultRateLimits): RequestLimiter {
  const { perKeyPerSecond, perTenantPerSecond, failedAuthPerMinutePerAddress } = limits;
  const ofSeconds = (what: string, perSecond: number) =>
    createCounter(what, perSecond * WINDOW_SECONDS, WINDOW_SECONDS);
  const credentials = ofSeconds('This credential sends too many requests', perKeyPerSecond);
  const tenants = ofSeconds('Your platform sends too many requests', perTenantPerSecond);
  const signed = ofSeconds('Too many files are read by signed URLs', perTenantPerSecond);
  const perMinute = (what: string) => createCounter(what, failedAuthPerMinutePerAddress, 60);
  const failures = {
    credential: perMinute('Too many refused credentials came from this address'),
    signature: perMinute('Too many refused signatures came from this address'),
  };
  return {
    checkCredential: credentials.check,
    async countRequest(tenantId, credentialId) {
      await credentials.count(credentialId);
      await tenants.count(tenantId);
    },
    countSigned: signed.count,
    checkAddress: failures.credential.check,
    countFailure: (kind, address) => failures[kind].count(address),
  };
}
