import { isFault } from '@attache/contracts';
import { z } from '@hono/zod-openapi';
import { describe, expect, it } from 'vitest';
import { parseWith } from './read-json.ts';

const schema = z.strictObject({ to: z.array(z.string()), labels: z.record(z.string(), z.number()).optional() });

function refusalOf(value: unknown): string {
  try {
    parseWith(schema, value);
  } catch (error) {
    if (isFault(error, 'INVALID_REQUEST')) return error.message;
    throw error;
  }
  throw new Error('the request was taken');
}

describe('a refusal of a request', () => {
  it('names the fields that do not fit', () => {
    expect(refusalOf({ to: [3] })).toMatch(/^to\.0: /);
    expect(refusalOf({ to: [], too: 1 })).toBe('the request: Unrecognized key: "too".');
  });

  it('repeats neither a value nor a key that is no field [S27]', () => {
    const canary = 'sk-proj-canary 1';
    for (const value of [canary, { to: canary }, { to: [], [canary]: 1 }, { to: [], labels: { [canary]: 'x' } }])
      expect(refusalOf(value)).not.toContain('canary');
  });
});
