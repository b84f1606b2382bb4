import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createBlobKey, parseBlobKey } from './blob-key.ts';

const hex = '0123456789abcdef0123456789abcdef';

describe('blob key', () => {
  it('puts a blob below its tenant, under a random name [S1 DL-78]', () => {
    const tenant = randomUUID();
    const random = randomBytes(16);
    const key = createBlobKey(tenant, random);
    expect(key).toBe(`${tenant.replaceAll('-', '')}/${random.toString('hex')}`);
    expect(parseBlobKey(key)).toBe(key);
  });

  it.each([
    ['', randomBytes(16)],
    ['../../../etc', randomBytes(16)],
    [randomUUID().toUpperCase(), randomBytes(16)],
    [randomUUID(), randomBytes(15)],
    [randomUUID(), randomBytes(17)],
  ])('is not made of %j and a wrong count of bytes [DL-78]', (tenant, random) => {
    expect(() => createBlobKey(tenant, random)).toThrow(/tenant/);
  });

  it.each([
    '',
    '/',
    hex,
    `${hex}/`,
    `/${hex}/${hex}`,
    '/etc/passwd',
    `${hex}/../${hex}`,
    `../${hex}/${hex}`,
    `${hex}/..`,
    `${hex}\\${hex}`,
    `${hex}/%2e%2e${hex.slice(6)}`,
    `${hex}/${hex.slice(2)}\0a`,
    `${hex}/${hex}\0`,
    `${hex}/${hex}\n`,
    `${hex}/${hex.toUpperCase()}`,
    `${hex}/${hex}0`,
    `${hex}/${hex}/${hex}`,
    `${hex}/${hex.slice(1)}`,
    `tmp/${hex}`,
    'a'.repeat(10_000),
  ])('refuses the spelling %j and does not repeat it [S7 AT-05 DL-78]', (hostile) => {
    let message = '';
    try {
      parseBlobKey(hostile);
    } catch (error) {
      message = String(error);
    }
    expect(message).toMatch(/must be/);
    if (hostile.length > 1) expect(message).not.toContain(hostile);
  });
});
