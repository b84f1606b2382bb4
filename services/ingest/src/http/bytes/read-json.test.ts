import { PassThrough } from 'node:stream';
import { isFault } from '@attache/contracts';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { describe, expect, it } from 'vitest';
import type { HttpEnv } from '../context.ts';
import { createBodyBudget } from '../shares/body-budget.ts';
import { parseWith, readJson } from './read-json.ts';

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

describe('a body of one tenant', () => {
  const text = z.strictObject({ text: z.string() });
  const KIB = 1024;

  /** A request of tenant `a` with this body; its length is said or not. */
  function requestOf(body: string, isSized: boolean): Context<HttpEnv> {
    const headers = isSized ? { 'content-length': String(Buffer.byteLength(body)) } : {};
    const incoming = Object.assign(new PassThrough(), { headers });
    incoming.end(body);
    const context = {
      env: { incoming, outgoing: {} },
      req: { header: () => 'application/json' },
      get: () => ({ tenantId: 'a' }),
    };
    return context as unknown as Context<HttpEnv>;
  }

  /** How many bytes were read at the tenant's pace. */
  async function countPaced(body: string, isSized: boolean): Promise<number> {
    let pacedBytes = 0;
    const pace = (tenantId: string, bytes: number) => {
      if (tenantId === 'a') pacedBytes += bytes;
      return 0;
    };
    const { release } = await readJson(requestOf(body, isSized), text, { ...createBodyBudget(), pace });
    release();
    return pacedBytes;
  }

  it('is read at the pace of its tenant where it is large, and as it comes where it is small [BX-27]', async () => {
    const small = JSON.stringify({ text: 'x'.repeat(60 * KIB) });
    const large = JSON.stringify({ text: 'x'.repeat(900 * KIB) });
    expect([await countPaced(small, true), await countPaced(small, false)]).toEqual([0, 0]);
    expect(await countPaced(large, true)).toBe(large.length);
    expect(await countPaced(large, false)).toBeGreaterThan(800 * KIB);
  });

  it('may bring one large message at once, more at a pace, and others wait for none of it [BX-27]', () => {
    const { pace } = createBodyBudget();
    const message = 16 * KIB * KIB;
    expect(pace('a', message)).toBe(0);
    expect(pace('a', message)).toBeGreaterThan(0);
    expect(pace('b', message)).toBe(0);
  });
});
