import { timingSafeEqual } from 'node:crypto';
import { type AgentId, type AttachmentId, isId, type VariantId } from '@attache/contracts';
import { computeMac, findSigningKey, type SigningKey, type SigningKeys } from './signing-keys.ts';

export type Disposition = 'inline' | 'attachment';

/** The rights of a signed URL: one attachment or variant, one disposition, until a time, within one URL generation of the attachment and one of its tenant. */
export type RawUrlClaims = {
  attachmentId: AttachmentId;
  /** Unix seconds. */
  expiresAt: number;
  generation: number;
  tenantGeneration: number;
  /** The URL ends with this agent's grant. */
  agentId?: AgentId | undefined;
  variantId?: VariantId | undefined;
  disposition?: Disposition | undefined;
};

export type VerifiedRawUrl = RawUrlClaims & {
  /** Whether the URL was made for this tenant: to be asked once the attachment's tenant is known. */
  isForTenant(tenantId: string): boolean;
};

/** History images stay reachable for ten years; deletion, a new generation of the attachment's or the tenant's URLs, or a retired key ends a URL at once (AT-26). */
export const DEFAULT_URL_LIFETIME_SECONDS = 10 * 365 * 24 * 3600;

const DAY_SECONDS = 24 * 3600;
const MIN_WINDOW_SECONDS = 300;

/**
 * When a URL that is made now ends, in Unix seconds: at most `lifetimeSeconds` from now. All that are made within a window of the clock end together, so
 * that they are the same URL, which a browser has in its cache. A window is a 24th of the lifetime, 5 minutes to a day, and never more than a third.
 */
export function expiryOf(lifetimeSeconds: number, nowSeconds: number): number {
  const wanted = Math.min(DAY_SECONDS, Math.max(MIN_WINDOW_SECONDS, lifetimeSeconds / 24), lifetimeSeconds / 3);
  const window = Math.max(1, Math.floor(wanted));
  return Math.floor((Math.floor(nowSeconds) + lifetimeSeconds) / window) * window;
}

const TAG_BYTES = 8;
const MAC_BYTES = 32;

function tagTenant(key: SigningKey, tenantId: string): Buffer {
  return computeMac(key, 'tenant-tag', tenantId).subarray(0, TAG_BYTES);
}

function describeClaims(claims: RawUrlClaims, kid: string, tag: Buffer): string {
  const { attachmentId, expiresAt, generation, variantId = '', disposition = '' } = claims;
  const lines = [attachmentId, expiresAt, kid, generation, variantId, disposition, tag.toString('hex')];
  // Fields that were added later are signed only if they are present: URLs live for ten years.
  if (claims.tenantGeneration !== 1) lines.push(`t=${claims.tenantGeneration}`);
  if (claims.agentId) lines.push(`a=${claims.agentId}`);
  return lines.join('\n');
}

// One spelling only: a query that is reordered, re-encoded or has a parameter more does not verify.
function formatQuery(claims: RawUrlClaims, kid: string, signature: string): string {
  const query = new URLSearchParams({
    exp: String(claims.expiresAt),
    kid,
    g: String(claims.generation),
    sig: signature,
  });
  if (claims.variantId) query.set('v', claims.variantId);
  if (claims.disposition) query.set('d', claims.disposition);
  if (claims.tenantGeneration !== 1) query.set('t', String(claims.tenantGeneration));
  if (claims.agentId) query.set('a', claims.agentId);
  return query.toString();
}

/** Query string of a signed URL, without `?`. */
export function signRawQuery(keys: SigningKeys, tenantId: string, claims: RawUrlClaims): string {
  const [key] = keys;
  const tag = tagTenant(key, tenantId);
  const mac = computeMac(key, 'raw-url', describeClaims(claims, key.kid, tag));
  return formatQuery(claims, key.kid, Buffer.concat([tag, mac]).toString('base64url'));
}

/** A whole signed URL. `baseUrl` ends before `/attachments` and is outside the signature. */
export function signRawUrl(keys: SigningKeys, baseUrl: string, tenantId: string, claims: RawUrlClaims): string {
  return `${baseUrl}/attachments/${claims.attachmentId}/raw?${signRawQuery(keys, tenantId, claims)}`;
}

const GENERATION = /^[1-9]\d{0,8}$/;

function parseClaims(attachmentId: string, query: URLSearchParams): RawUrlClaims | undefined {
  const [exp = '', generation = '', tenantGeneration = '1'] = ['exp', 'g', 't'].map(
    (name) => query.get(name) ?? undefined,
  );
  const [variantId, disposition, agentId] = ['v', 'd', 'a'].map((name) => query.get(name) ?? undefined);
  if (!isId('attachment', attachmentId) || !/^\d{1,12}$/.test(exp)) return undefined;
  if (!GENERATION.test(generation) || !GENERATION.test(tenantGeneration)) return undefined;
  if (variantId !== undefined && !isId('variant', variantId)) return undefined;
  if (agentId !== undefined && !isId('agent', agentId)) return undefined;
  if (disposition !== undefined && disposition !== 'inline' && disposition !== 'attachment') return undefined;
  const generations = { generation: Number(generation), tenantGeneration: Number(tenantGeneration) };
  return { attachmentId, expiresAt: Number(exp), ...generations, agentId, variantId, disposition };
}

/** Verifies a raw URL's query (without `?`) in constant time; undefined for anything missing, altered or expired. */
export function verifyRawQuery(
  keys: SigningKeys,
  request: { attachmentId: string; query: string; nowSeconds: number },
): VerifiedRawUrl | undefined {
  const query = new URLSearchParams(request.query);
  const claims = parseClaims(request.attachmentId, query);
  const key = findSigningKey(keys, query.get('kid') ?? '');
  const signature = query.get('sig') ?? '';
  const bytes = Buffer.from(signature, 'base64url');
  if (!claims || !key || bytes.length !== TAG_BYTES + MAC_BYTES) return undefined;
  if (formatQuery(claims, key.kid, bytes.toString('base64url')) !== request.query) return undefined;
  const tag = bytes.subarray(0, TAG_BYTES);
  const expected = computeMac(key, 'raw-url', describeClaims(claims, key.kid, tag));
  if (!timingSafeEqual(expected, bytes.subarray(TAG_BYTES)) || claims.expiresAt <= request.nowSeconds) return undefined;
  return { ...claims, isForTenant: (tenantId) => timingSafeEqual(tag, tagTenant(key, tenantId)) };
}
