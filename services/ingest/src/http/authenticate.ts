import { idFromUuid, isFault, type RouteName } from '@attache/contracts';
import type { LookAhead } from '@attache/database';
import type { Context } from 'hono';
import { unauthenticated } from '../caller/api-key.ts';
import type { Caller } from '../caller/caller.ts';
import { isSignedTicket, useEventTicket } from '../caller/event-ticket.ts';
import { authenticatePresented, type Presented, readPresented, type Sent } from '../caller/presented.ts';
import type { HttpDeps, HttpEnv } from './context.ts';
import { addressOf } from './server/address-of.ts';

/** The routes that a ticket opens, for readers that can send no header. */
const takesTicket: ReadonlySet<RouteName> = new Set(['listEvents', 'readTranscript']);

const BEARER = /^Bearer ([\x21-\x7e]{1,4000})$/;

// A header decides, also one that cannot be read: the ticket beside it opens nothing.
function readSent(c: Context<HttpEnv>, name: RouteName): Sent {
  const header = c.req.header('authorization');
  const [, credential] = BEARER.exec(header ?? '') ?? [];
  const ticket = header === undefined && takesTicket.has(name) ? c.req.query('ticket') : undefined;
  return { credential, ticket, sessionId: c.req.param('sessionId') };
}

// The checks that need no database come first: form and checksum of a key, signature and time of a token, who is over a limit.
async function findCaller(
  deps: HttpDeps,
  presented: Presented,
  address: string,
  ahead: LookAhead | undefined,
): Promise<Caller> {
  const { holder, key } = presented;
  const find = () => authenticatePresented(deps.db, presented, ahead);
  if ('token' in holder) {
    const credential = idFromUuid('user', holder.token.userId);
    await deps.limiter.checkCredential(credential);
    return deps.lanes.run({ tenantId: holder.token.tenantId, credential }, find);
  }
  // A secret may be guessed, a signature not.
  if (key) await deps.limiter.checkAddress(address);
  await deps.limiter.checkCredential(idFromUuid('key', holder.keyId));
  const caller = await deps.lanes.runForKey(holder.keyId, find);
  void deps.keyUse.note(caller.tenantId, holder.keyId);
  return caller;
}

// An `EventSource` presents its ticket again on its own, and must not shut out the keys behind its address.
const mayBeGuess = ({ signingKeys }: HttpDeps, { credential, ticket }: Sent): boolean =>
  credential !== undefined || ticket === undefined || !isSignedTicket(signingKeys, ticket);

/**
 * The caller behind a request's credential, counted against its limits; a refused credential counts against the address. What the route
 * reads first of its session comes with the look-up.
 */
export async function authenticate(
  deps: HttpDeps,
  c: Context<HttpEnv>,
  name: RouteName,
  ahead?: LookAhead,
): Promise<Caller> {
  const sent = readSent(c, name);
  if (sent.credential === undefined && sent.ticket === undefined) throw unauthenticated();
  const address = addressOf(deps.settings, c);
  try {
    const presented = readPresented(deps.signingKeys, sent);
    const caller = await findCaller(deps, presented, address, ahead);
    await deps.limiter.countRequest(caller.tenantId, caller.actor.id);
    // HEAD opens no stream.
    if (presented.ticket && c.req.method !== 'HEAD') await useEventTicket(deps.db, presented.ticket, caller);
    c.set('presented', presented);
    return caller;
  } catch (error) {
    if (isFault(error, 'UNAUTHENTICATED') && mayBeGuess(deps, sent))
      await deps.limiter.countFailure('credential', address);
    throw error;
  }
}

/** Whether a request's credential would still be admitted: for answers that continue for long. Counts nothing. */
export async function isStillAdmitted(deps: HttpDeps, c: Context<HttpEnv>): Promise<boolean> {
  try {
    await authenticatePresented(deps.db, c.get('presented'));
    return true;
  } catch (error) {
    // A database that does not answer says nothing about the credential.
    return !isFault(error, 'UNAUTHENTICATED');
  }
}
