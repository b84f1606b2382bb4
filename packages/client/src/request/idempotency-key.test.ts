import { expect, it } from 'vitest';
import { createIdempotencyKey } from './idempotency-key.ts';

it('keys differ from one another, and need nothing that a page without TLS lacks', () => {
  const { randomUUID } = crypto;
  Object.assign(crypto, { randomUUID: undefined });
  try {
    const keys = Array.from({ length: 1000 }, createIdempotencyKey);
    expect(new Set(keys).size).toBe(1000);
    expect(keys.filter((key) => !/^[0-9a-f]{32}$/.test(key))).toEqual([]);
  } finally {
    Object.assign(crypto, { randomUUID });
  }
});
