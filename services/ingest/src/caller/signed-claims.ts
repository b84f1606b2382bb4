import { timingSafeEqual } from 'node:crypto';
import { computeMac, findSigningKey, type SigningKeys } from '@attache/intake';

type Purpose = Parameters<typeof computeMac>[1];

/** A kind of credential that carries its own claims: what it begins with, and the purpose of its signature. */
export type ClaimsKind = { prefix: string; purpose: Purpose };

const SIGNED = /^([A-Za-z0-9_-]{1,2000})\.([A-Za-z0-9_-]{43})$/;

/** Prefix + claims + MAC. The id of the signing key is in the claims, so that keys rotate. */
export function signClaims(keys: SigningKeys, { prefix, purpose }: ClaimsKind, claims: object): string {
  const [key] = keys;
  const payload = Buffer.from(JSON.stringify({ ...claims, kid: key.kid })).toString('base64url');
  return `${prefix}${payload}.${computeMac(key, purpose, payload).toString('base64url')}`;
}

/** The claims that we signed for this purpose; undefined for anything else. Their time is not checked. */
export function readClaims<T>(keys: SigningKeys, { prefix, purpose }: ClaimsKind, credential: string): T | undefined {
  const rest = credential.startsWith(prefix) ? credential.slice(prefix.length) : '';
  const [, payload = '', mac = ''] = SIGNED.exec(rest) ?? [];
  if (payload === '') return undefined;
  let claims: (T & { kid: string }) | null;
  try {
    claims = JSON.parse(Buffer.from(payload, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  const key = claims === null ? undefined : findSigningKey(keys, claims.kid);
  if (!claims || !key || !timingSafeEqual(computeMac(key, purpose, payload), Buffer.from(mac, 'base64url')))
    return undefined;
  return claims;
}
