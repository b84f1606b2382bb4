import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createApiKeySecret, hashApiKeySecret, isApiKeySecret, parseApiKey } from './api-key-secret.ts';

describe('the secret of an API key', () => {
  it('names its key, and is never stored: only a hash of it is', () => {
    const keyId = randomUUID();
    const { apiKey, secretHash } = createApiKeySecret(keyId);
    const parsed = parseApiKey(apiKey);
    expect(parsed?.keyId).toBe(keyId);
    expect(hashApiKeySecret(parsed?.secret ?? '')).toBe(secretHash);
    expect(secretHash).toMatch(/^[0-9a-f]{64}$/);
    expect(apiKey).not.toContain(secretHash);
  });

  it('is known by its hash alone, and no secret belongs to a key that is not there', () => {
    expect(isApiKeySecret('a', hashApiKeySecret('a'))).toBe(true);
    expect(isApiKeySecret('b', hashApiKeySecret('a'))).toBe(false);
    expect(isApiKeySecret('a', undefined)).toBe(false);
    expect(isApiKeySecret('', undefined)).toBe(false);
  });

  it('is another one each time, also for the same key', () => {
    const made = Array.from({ length: 50 }, () => createApiKeySecret(randomUUID()).apiKey);
    expect(new Set(made).size).toBe(made.length);
    const keyId = randomUUID();
    expect(createApiKeySecret(keyId).secretHash).not.toBe(createApiKeySecret(keyId).secretHash);
  });

  it.each([
    ['nothing', ''],
    ['another prefix', createApiKeySecret().apiKey.replace('atk_', 'ats_')],
    ['a digit too many', `${createApiKeySecret().apiKey}0`],
    ['a blank', ` ${createApiKeySecret().apiKey}`],
    ['a secret of its own without a checksum', `atk_${'A'.repeat(22)}_${'s'.repeat(43)}00000000`],
    ['a line break', `${createApiKeySecret().apiKey}\n`],
  ])('is told from %s', (_, text) => {
    expect(parseApiKey(text)).toBeUndefined();
  });
});
