import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import { idFromUuid } from '@attache/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  DEFAULT_URL_LIFETIME_SECONDS,
  expiryOf,
  type RawUrlClaims,
  signRawQuery,
  signRawUrl,
  verifyRawQuery,
} from './raw-url.ts';
import type { SigningKeys } from './signing-keys.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const keys: SigningKeys = [{ kid: 'k1', secret: randomBytes(32) }];
const tenantId = randomUUID();
const nowSeconds = 1_800_000_000;
const attachmentId = idFromUuid('attachment', randomUUID());
const variantId = idFromUuid('variant', randomUUID());
const claims: RawUrlClaims = { attachmentId, expiresAt: nowSeconds + 60, generation: 3, tenantGeneration: 1 };

const verify = (query: string, id: string = attachmentId, at = nowSeconds) =>
  verifyRawQuery(keys, { attachmentId: id, query, nowSeconds: at });

describe('a signed raw URL', () => {
  it('is signed with HMAC-SHA256 under the key that it names, over all that it grants [AT-07]', () => {
    const [key] = keys;
    const mac = (purpose: string, text: string) =>
      createHmac('sha256', createHmac('sha256', key.secret).update(`attache ${purpose} v1`).digest())
        .update(text)
        .digest();
    const tag = mac('tenant-tag', tenantId).subarray(0, 8);
    const text = [attachmentId, claims.expiresAt, key.kid, 3, variantId, 'inline', tag.toString('hex')].join('\n');
    const query = new URLSearchParams(signRawQuery(keys, tenantId, { ...claims, variantId, disposition: 'inline' }));
    expect(query.get('kid')).toBe('k1');
    expect(query.get('sig')).toBe(Buffer.concat([tag, mac('raw-url', text)]).toString('base64url'));
  });

  it('is verified with what it grants [AT-19]', () => {
    const query = signRawQuery(keys, tenantId, { ...claims, variantId, disposition: 'attachment' });
    expect(verify(query)).toMatchObject({ ...claims, variantId, disposition: 'attachment' });
  });

  it('is spelled as ever in the first generation of a tenant; a later one and an agent are signed with it [AT-26]', () => {
    const agentId = idFromUuid('agent', randomUUID());
    const first = signRawQuery(keys, tenantId, claims);
    expect(first).toMatch(/^exp=\d+&kid=k1&g=3&sig=[\w-]+$/);
    const bound = signRawQuery(keys, tenantId, { ...claims, tenantGeneration: 2, agentId });
    expect(verify(bound)).toMatchObject({ ...claims, tenantGeneration: 2, agentId });
    const other = idFromUuid('agent', randomUUID());
    const altered = [bound.replace('&t=2', ''), bound.replace('&t=2', '&t=3'), bound.replace(`&a=${agentId}`, '')];
    const added = [`${first}&t=2`, `${first}&t=1`, `${first}&a=${other}`, bound.replace(agentId, other)];
    for (const query of [...altered, ...added]) expect(verify(query)).toBeUndefined();
  });

  it('keeps its base path outside the signature [AT-26]', () => {
    const [, query] = signRawUrl(keys, 'https://files.example/any/path', tenantId, claims).split('?');
    expect(query).toBe(signRawUrl(keys, 'http://127.0.0.1:4100/v1', tenantId, claims).split('?')[1]);
  });

  it('ends at its time, to the second', () => {
    const query = signRawQuery(keys, tenantId, claims);
    expect(verify(query, attachmentId, claims.expiresAt - 1)).toBeDefined();
    expect(verify(query, attachmentId, claims.expiresAt)).toBeUndefined();
  });

  it('names the tenant for which it was made', () => {
    const verified = verify(signRawQuery(keys, tenantId, claims));
    expect(verified?.isForTenant(tenantId)).toBe(true);
    expect(verified?.isForTenant(randomUUID())).toBe(false);
  });

  it('does not verify for another attachment [S5]', () => {
    const query = signRawQuery(keys, tenantId, claims);
    expect(verify(query, idFromUuid('attachment', randomUUID()))).toBeUndefined();
    expect(verify(query, 'att_short')).toBeUndefined();
  });

  it('does not verify with any one character changed, removed or doubled [S5]', () => {
    const query = signRawQuery(keys, tenantId, { ...claims, variantId, disposition: 'inline' });
    fc.assert(
      fc.property(
        fc.nat(query.length - 1),
        fc.constantFrom('a', 'A', '0', '9', '-', '_', '&', '=', '%'),
        (at, char) => {
          const changed = query.slice(0, at) + char + query.slice(at + 1);
          if (changed !== query) expect(verify(changed)).toBeUndefined();
          expect(verify(query.slice(0, at) + query.slice(at + 1))).toBeUndefined();
          expect(verify(query.slice(0, at) + query[at] + query.slice(at))).toBeUndefined();
        },
      ),
      { numRuns: isShort ? 80 : 300 },
    );
  });

  it('has one spelling: reordered, re-encoded, doubled and added parameters do not verify [S5]', () => {
    const query = signRawQuery(keys, tenantId, claims);
    const parts = query.split('&');
    expect(verify(parts.toReversed().join('&'))).toBeUndefined();
    expect(verify(query.replace('k1', '%6b1'))).toBeUndefined();
    expect(verify(`${query}&${parts[0]}`)).toBeUndefined();
    expect(verify(`${query}&utm=1`)).toBeUndefined();
    expect(verify(`${query}&`)).toBeUndefined();
    expect(verify('')).toBeUndefined();
  });

  it('verifies under every present key, and under none that was retired [AT-07 AT-26 S5]', () => {
    const old = signRawQuery(keys, tenantId, claims);
    const rotated: SigningKeys = [{ kid: 'k2', secret: randomBytes(32) }, ...keys];
    const retired: SigningKeys = [{ kid: 'k2', secret: randomBytes(32) }];
    const request = { attachmentId, query: old, nowSeconds };
    expect(verifyRawQuery(rotated, request)).toBeDefined();
    expect(signRawQuery(rotated, tenantId, claims)).toContain('kid=k2');
    expect(verifyRawQuery(retired, request)).toBeUndefined();
  });

  it('does not verify under another secret with the same key id', () => {
    const query = signRawQuery([{ kid: 'k1', secret: randomBytes(32) }], tenantId, claims);
    expect(verify(query)).toBeUndefined();
  });
});

describe('the end of a URL', () => {
  const day = 24 * 3600;
  const lifetimes = [900, 3_600, day, DEFAULT_URL_LIFETIME_SECONDS];

  it.each(lifetimes)('is at most %i s away, at least two thirds of that, and a whole second [AT-26]', (lifetime) => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 4e9, noNaN: true }), (now) => {
        const left = expiryOf(lifetime, now) - Math.floor(now);
        expect(Number.isInteger(left)).toBe(true);
        expect(left).toBeLessThanOrEqual(lifetime);
        expect(left).toBeGreaterThanOrEqual((lifetime * 2) / 3);
      }),
      { numRuns: isShort ? 80 : 300 },
    );
  });

  it.each([
    [900, 300],
    [3_600, 300],
    [day, 3_600],
    [DEFAULT_URL_LIFETIME_SECONDS, day],
  ])('of a lifetime of %i s is the same for %i s: the URL is the same', (lifetime, window) => {
    const sign = (now: number) =>
      signRawUrl(keys, 'https://files.example/v1', tenantId, { ...claims, expiresAt: expiryOf(lifetime, now) });
    // The first second of a window.
    const start = Math.ceil((nowSeconds + lifetime) / window) * window - lifetime;
    expect(sign(start + window - 1)).toBe(sign(start));
    expect(sign(start + window)).not.toBe(sign(start));
  });

  it('of a lifetime of seconds is whole and not beyond it', () => {
    for (const lifetime of [1, 2, 5, 299]) expect(expiryOf(lifetime, 1_000.5)).toBeLessThanOrEqual(1_000 + lifetime);
    expect(expiryOf(1, 1_000)).toBe(1_001);
  });
});
