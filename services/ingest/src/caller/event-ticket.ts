import { randomUUID } from 'node:crypto';
import { type Database, useOnce } from '@attache/database';
import type { SigningKeys } from '@attache/intake';
import { unauthenticated } from './api-key.ts';
import type { Caller } from './caller.ts';
import type { SessionTokenClaims } from './session-token.ts';
import { readClaims, signClaims } from './signed-claims.ts';

/** The lasting credential behind a request: an API key by its uuid, or a session token. */
export type Holder = { keyId: string } | { token: SessionTokenClaims };

/** Opens one stream of one session, as its maker. Ids are stored uuids. */
export type TicketClaims = {
  tenantId: string;
  sessionId: string;
  /** Makes it one of its kind: it is used once. */
  nonce: string;
  /** Unix seconds. */
  expiresAt: number;
  maker: Holder;
};

/** How long a page has to open its stream. */
export const TICKET_SECONDS = 30;

const kind = { prefix: 'ate_', purpose: 'event-ticket' } as const;

type TicketRequest = Pick<TicketClaims, 'tenantId' | 'sessionId' | 'maker'> & { nowSeconds: number };

/** Makes a ticket of a session. It lasts no longer than the session token that made it. Nothing is stored before it is used. */
export function createEventTicket(
  keys: SigningKeys,
  { nowSeconds, ...terms }: TicketRequest,
): { ticket: string; expiresAt: string } {
  const latest = Math.floor(nowSeconds) + TICKET_SECONDS;
  const expiresAt = 'token' in terms.maker ? Math.min(latest, terms.maker.token.expiresAt) : latest;
  const claims: TicketClaims = { ...terms, nonce: randomUUID(), expiresAt };
  return { ticket: signClaims(keys, kind, claims), expiresAt: new Date(expiresAt * 1000).toISOString() };
}

/** Reads a ticket of this session by its signature and its time alone. Throws a fault for any other one. */
export function readEventTicket(keys: SigningKeys, ticket: string, sessionId: string | undefined): TicketClaims {
  const claims = readClaims<TicketClaims>(keys, kind, ticket);
  if (!claims || claims.expiresAt <= Date.now() / 1000 || claims.sessionId !== sessionId) throw unauthenticated();
  return claims;
}

/** Whether we signed it, used or expired as it may be: nobody guesses with it. */
export const isSignedTicket = (keys: SigningKeys, ticket: string): boolean =>
  readClaims<TicketClaims>(keys, kind, ticket) !== undefined;

/** Uses a ticket up. Throws a fault if it was used before, in this process or another one. */
export async function useEventTicket(
  db: Database,
  { tenantId, sessionId, nonce }: TicketClaims,
  { principal }: Caller,
): Promise<void> {
  const use = { tenantId, sessionId, route: 'event-ticket', key: nonce, principal };
  if (!(await useOnce(db, use))) throw unauthenticated();
}
