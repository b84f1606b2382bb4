import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

const TOKEN = /^atr_[A-Za-z0-9_-]{43}$/;
const BEARER = /^Bearer +(\S+)$/i;

export const createToken = (): string => `atr_${randomBytes(32).toString('base64url')}`;

export const digestToken = (token: string): Buffer => hash('sha256', token, 'buffer');

/** Whether a request came with the token of this digest. In more than one header it must be the same. */
export function hasToken(headers: IncomingHttpHeaders, digest: Buffer): boolean {
  const bearer = headers.authorization;
  const given = [headers['x-api-key'], headers['x-goog-api-key'], bearer && (BEARER.exec(bearer)?.[1] ?? '')]
    .filter((value) => value !== undefined)
    .map(String);
  return given.length > 0 && given.every((token) => TOKEN.test(token) && timingSafeEqual(digestToken(token), digest));
}
