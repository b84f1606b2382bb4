import { timingSafeEqual } from 'node:crypto';
import { idFromUuid, type Right } from '@attache/contracts';
import { type Database, findTokenHolder, type LookAhead } from '@attache/database';
import { computeMac, findSigningKey, type SigningKeys } from '@attache/intake';
import { unauthenticated } from './api-key.ts';
import { type Caller, nameAhead, TOKEN_URL_SECONDS } from './caller.ts';

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

const SESSION_TOKEN = /^ats_([A-Za-z0-9_-]{1,2000})\.([A-Za-z0-9_-]{43})$/;

/** `ats_` + claims + MAC. The key id is in the claims, so that keys rotate. */
export function signSessionToken(keys: SigningKeys, claims: SessionTokenClaims): string {
  const [key] = keys;
  const payload = Buffer.from(JSON.stringify({ ...claims, kid: key.kid })).toString('base64url');
  return `ats_${payload}.${computeMac(key, 'session-token', payload).toString('base64url')}`;
}

function parseSessionToken(keys: SigningKeys, credential: string): SessionTokenClaims | undefined {
  const [, payload = '', mac = ''] = SESSION_TOKEN.exec(credential) ?? [];
  if (payload === '') return undefined;
  let claims: (SessionTokenClaims & { kid: string }) | null;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const key = claims === null ? undefined : findSigningKey(keys, claims.kid);
  if (!claims || !key || !timingSafeEqual(computeMac(key, 'session-token', payload), Buffer.from(mac, 'base64url')))
    return undefined;
  return claims;
}

/** Reads the claims of a session token by its signature alone. Throws a fault if the signature is not ours or the token has expired. */
export function readSessionToken(keys: SigningKeys, credential: string): SessionTokenClaims {
  const claims = parseSessionToken(keys, credential);
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
