import { Fault, isFault, isLocalOrigin, parseOrigin } from '@attache/contracts';
import { isOriginAllowed } from '@attache/database';
import type { RequestLimiter } from '../../caller/request-limiter.ts';
import type { IngestDeps } from '../../ingest-deps.ts';
import { addressOf, type ReceivedRequest } from '../server/address-of.ts';
import { allowPreflight, letRead } from './cors-headers.ts';
import { createKeptOrigins } from './kept-origins.ts';

/** Judges requests of web pages by their origin. A request without `Origin`, as servers send it, costs and changes nothing. */
export type OriginGate = {
  /** The answer to a preflight; undefined for any other request, whose answer a page of a known origin may read. Throws a fault for a refused preflight. */
  receive(c: ReceivedRequest): Promise<Response | undefined>;
  /** Refuses a page whose origin is neither the operator's nor this tenant's. */
  admit(c: ReceivedRequest, tenantId: string): Promise<void>;
  /** Called after a tenant changed its origins, with those before and after. */
  forget(tenantId: string, origins: readonly string[]): void;
};

type GateDeps = Pick<IngestDeps, 'db' | 'settings'> & { limiter: RequestLimiter };

export function createOriginGate({ db, settings, limiter }: GateDeps): OriginGate {
  const { basePath, corsOrigins, publicUrl } = settings;
  const kept = createKeptOrigins((origin, tenantId) => isOriginAllowed(db, origin, tenantId));
  const ofOperator = new Set(corsOrigins === 'localhost' ? [] : corsOrigins);
  const ownOrigin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const refuse = (origin: string, why: string) => new Fault('ORIGIN_NOT_ALLOWED', explain(origin, why, basePath));

  const isOperators = (origin: string) =>
    ofOperator.has(origin) || (corsOrigins === 'localhost' && isLocalOrigin(origin));
  const isOwn = (c: ReceivedRequest, origin: string) =>
    origin === ownOrigin || (isSpelledWell(origin) && new URL(origin).host === c.req.header('host'));

  /**
   * Whether any tenant has it. An address from which too many unknown ones came is asked to wait, but for one that was known at the last look: that costs
   * one look-up in some seconds, whoever shares the address.
   */
  async function isAnyTenants(c: ReceivedRequest, origin: string): Promise<boolean> {
    if (!isSpelledWell(origin)) return false;
    if (kept.isKept(origin)) return kept.isAllowed(origin);
    const address = addressOf(settings, c);
    if (!kept.wasAllowed(origin)) await limiter.checkAddress(address, 'origin');
    const isKnown = await kept.isAllowed(origin);
    if (!isKnown) await limiter.countFailure('origin', address);
    return isKnown;
  }

  async function receive(c: ReceivedRequest): Promise<Response | undefined> {
    const { outgoing } = c.env;
    outgoing.setHeader('vary', 'Origin');
    const origin = c.req.header('origin');
    if (origin === undefined) return undefined;
    const isPreflight = c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined;
    if (isOperators(origin)) {
      if (isPreflight) return allowPreflight(origin);
      letRead(outgoing, origin);
      return undefined;
    }
    if (isPreflight) {
      if (isOwn(c, origin) || (await isAnyTenants(c, origin))) return allowPreflight(origin);
      throw refuse(origin, 'neither the operator nor any tenant allows it');
    }
    if (!isOwn(c, origin) && (await isAnyTenants(c, origin).catch(asUnknown))) letRead(outgoing, origin);
    return undefined;
  }

  return {
    receive,
    async admit(c, tenantId) {
      const origin = c.req.header('origin');
      if (origin === undefined || isOperators(origin) || isOwn(c, origin)) return;
      if (!isSpelledWell(origin) || !(await kept.isAllowed(origin, tenantId)))
        throw refuse(origin, 'the tenant of the credential does not allow it');
      // Another process may have saved it while this one still kept that nobody has it.
      letRead(c.env.outgoing, origin);
    },
    forget: kept.forget,
  };
}

/** Whether it is spelled as a browser spells an origin; a list or `null` is not. */
const isSpelledWell = (origin: string): boolean => parseOrigin(origin) === origin;

// The credential is judged first: the request still gets its own answer, which this page cannot read.
function asUnknown(error: unknown): false {
  if (isFault(error, 'RATE_LIMITED') || isFault(error, 'DATABASE_UNAVAILABLE')) return false;
  throw error;
}

function explain(origin: string, why: string, basePath: string): string {
  const named = isSpelledWell(origin) ? `the origin ${origin}` : 'this origin, which nobody can allow,';
  return `Pages of ${named} may not do this: ${why}. The operator allows origins in ATTACHE_CORS_ORIGINS, a tenant with PUT ${basePath}/cors-origins.`;
}
