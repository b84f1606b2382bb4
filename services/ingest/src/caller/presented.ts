import { isId, uuidFromId } from '@attache/contracts';
import type { Database, LookAhead } from '@attache/database';
import type { SigningKeys } from '@attache/intake';
import { authenticateApiKey, authenticateKeyId, type PresentedKey, readApiKey, unauthenticated } from './api-key.ts';
import type { Caller } from './caller.ts';
import { type Holder, readEventTicket, type TicketClaims } from './event-ticket.ts';
import { authenticateSessionToken, readSessionToken } from './session-token.ts';

/** A credential that is well-formed, and signed if it carries claims. It may have ended. */
export type Presented = {
  holder: Holder;
  /** The key with its secret, if that is what was sent. */
  key?: PresentedKey;
  /** The ticket, if that was sent: its maker is the holder. */
  ticket?: TicketClaims;
};

/** The parts of a request that may hold its credential. */
export type Sent = {
  credential: string | undefined;
  ticket: string | undefined;
  /** The public id in the path. */
  sessionId: string | undefined;
};

/** Reads the credential, or without one the ticket, by form and signature alone. Throws a fault if it cannot be valid. */
export function readPresented(keys: SigningKeys, { credential = '', ticket: sent, sessionId: id }: Sent): Presented {
  if (credential === '' && sent !== undefined) {
    const sessionId = id !== undefined && isId('session', id) ? uuidFromId(id) : undefined;
    const ticket = readEventTicket(keys, sent, sessionId);
    return { holder: ticket.maker, ticket };
  }
  if (credential.startsWith('ats_')) return { holder: { token: readSessionToken(keys, credential) } };
  if (!credential.startsWith('atk_')) throw unauthenticated();
  const key = readApiKey(credential);
  return { holder: { keyId: key.keyId }, key };
}

/** The caller behind it, with the rows that its route reads first. Throws a fault if it has ended. By a ticket, a key opens only its session. */
export async function authenticatePresented(
  db: Database,
  { holder, key, ticket }: Presented,
  ahead?: LookAhead,
): Promise<Caller> {
  if ('token' in holder) {
    if (holder.token.expiresAt <= Date.now() / 1000) throw unauthenticated();
    return authenticateSessionToken(db, holder.token, ahead);
  }
  if (key) return authenticateApiKey(db, key, ahead);
  return { ...(await authenticateKeyId(db, holder.keyId, ahead)), onlySessionId: ticket?.sessionId };
}
