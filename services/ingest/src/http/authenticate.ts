import { idFromUuid, isFault } from '@attache/contracts';
import type { LookAhead } from '@attache/database';
import type { Context } from 'hono';
import { authenticateApiKey, readApiKey, unauthenticated } from '../caller/api-key.ts';
import type { Caller } from '../caller/caller.ts';
import { authenticateSessionToken, readSessionToken } from '../caller/session-token.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { addressOf } from './server/address-of.ts';

const BEARER = /^Bearer ([\x21-\x7e]{1,4000})$/;

// The checks that need no database come first: form and checksum of a key, signature and time of a token, who is over a limit.
async function findCaller(
  deps: HttpDeps,
  credential: string,
  address: string,
  ahead: LookAhead | undefined,
): Promise<Caller> {
  if (credential.startsWith('atk_')) {
    const key = readApiKey(credential);
    await deps.limiter.checkAddress(address);
    await deps.limiter.checkCredential(key.id);
    const caller = await deps.lanes.runForKey(key.keyId, () => authenticateApiKey(deps.db, key, ahead));
    void deps.keyUse.note(caller.tenantId, key.keyId);
    return caller;
  }
  if (!credential.startsWith('ats_')) throw unauthenticated();
  const claims = readSessionToken(deps.signingKeys, credential);
  const holder = { tenantId: claims.tenantId, credential: idFromUuid('user', claims.userId) };
  await deps.limiter.checkCredential(holder.credential);
  return deps.lanes.run(holder, () => authenticateSessionToken(deps.db, claims, ahead));
}

/**
 * The caller behind a request's credential, counted against its limits; a refused credential counts against the address. What the route
 * reads first of its session comes with the look-up.
 */
export async function authenticate(deps: HttpDeps, c: Context<HttpEnv>, ahead?: LookAhead): Promise<Caller> {
  const [, credential] = BEARER.exec(c.req.header('authorization') ?? '') ?? [];
  if (credential === undefined) throw unauthenticated();
  const address = addressOf(deps.settings, c);
  try {
    const caller = await findCaller(deps, credential, address, ahead);
    await deps.limiter.countRequest(caller.tenantId, caller.actor.id);
    return caller;
  } catch (error) {
    if (isFault(error, 'UNAUTHENTICATED')) await deps.limiter.countFailure('credential', address);
    throw error;
  }
}

/** Whether a request's credential would still be admitted: for answers that continue for long. Counts nothing. */
export async function isStillAdmitted(deps: HttpDeps, c: Context<HttpEnv>): Promise<boolean> {
  const [, credential = ''] = BEARER.exec(c.req.header('authorization') ?? '') ?? [];
  try {
    if (credential.startsWith('atk_')) await authenticateApiKey(deps.db, readApiKey(credential));
    else await authenticateSessionToken(deps.db, readSessionToken(deps.signingKeys, credential));
    return true;
  } catch (error) {
    // A database that does not answer says nothing about the credential.
    return !isFault(error, 'UNAUTHENTICATED');
  }
}
