import { idFromUuid, type Right } from '@attache/contracts';
import { type Database, findTokenHolder, type LookAhead } from '@attache/database';
import type { SigningKeys } from '@attache/intake';
import { unauthenticated } from './api-key.ts';
import { type Caller, nameAhead, TOKEN_URL_SECONDS } from './caller.ts';
import { readClaims, signClaims } from './signed-claims.ts';

/** The claims of a session token: one session, one participant, listed rights, an expiry. Ids are stored uuids. */
export type SessionTokenClaims = {
  tenantId: string;
  sessionId: string;
  userId: string;
  rights: Right[];
  /** Those of the session's and of the participant's tokens. A token from before they were kept is of the first. */
  sessionGeneration?: number | undefined;
  participantGeneration?: number | undefined;
  /** The API key that made it. */
  keyId?: string | undefined;
  /** Unix seconds. */
  expiresAt: number;
};

const kind = { prefix: 'ats_', purpose: 'session-token' } as const;

export function signSessionToken(keys: SigningKeys, claims: SessionTokenClaims): string {
  return signClaims(keys, kind, claims);
}

/** Reads the claims of a session token by its signature alone. Throws a fault if the signature is not ours or the token has expired. */
export function readSessionToken(keys: SigningKeys, credential: string): SessionTokenClaims {
  const claims = readClaims<SessionTokenClaims>(keys, kind, credential);
  if (!claims || claims.expiresAt <= Date.now() / 1000) throw unauthenticated();
  return claims;
}

/**
 * The caller behind a session token. Rights that were taken from the participant since are gone from the token too. It ends by `DELETE
 * …/tokens` and with the key that made it.
 */
export async function authenticateSessionToken(
  db: Database,
  claims: SessionTokenClaims,
  ahead?: LookAhead,
): Promise<Caller> {
  const { tenantId, sessionId, userId, sessionGeneration = 1, participantGeneration = 1, keyId } = claims;
  const holder = { tenantId, sessionId, userId, sessionGeneration, participantGeneration, keyId };
  // It opens one session and nothing else.
  const own = ahead?.sessionId === sessionId ? ahead : undefined;
  const found = await findTokenHolder(db, {
    ...{ ...holder, isUpload: own?.of === 'upload', isLog: own?.of === 'log' },
    named: own?.of === 'message' ? own.named : undefined,
  });
  if (!found) throw unauthenticated();
  return {
    tenantId,
    actor: { type: 'user', id: idFromUuid('user', userId) },
    principal: idFromUuid('user', userId),
    rights: new Set(claims.rights.filter((right) => found.rights.includes(right))),
    onlySessionId: sessionId,
    isTrusted: false,
    maxUploadBytes: found.maxUploadBytes ?? undefined,
    urls: {
      tenantGeneration: found.urlGeneration,
      maxLifetimeSeconds: TOKEN_URL_SECONDS,
      isRefused: found.isSessionEnded,
    },
    upload: found.upload,
    log: found.log,
    named: nameAhead(own, found.named),
  };
}
