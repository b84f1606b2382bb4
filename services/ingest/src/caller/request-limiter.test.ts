import { isFault } from '@attache/contracts';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createRequestLimiter } from './request-limiter.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const outcomeOf = (work: Promise<void>) =>
  work.then(
    () => 'admitted',
    (error: unknown) => isFault(error) && error.code,
  );

const repeat = async (count: number, work: () => Promise<void>) => {
  const outcomes: unknown[] = [];
  for (let index = 0; index < count; index += 1) outcomes.push(await outcomeOf(work()));
  return outcomes.filter((outcome) => outcome === 'admitted').length;
};

const limits = { perKeyPerSecond: 1, perTenantPerSecond: 2, failedAuthPerMinutePerAddress: 3 };

describe('the request limiter', () => {
  it('admits a credential the mean of ten seconds, and again when they have passed', async () => {
    const limiter = createRequestLimiter(limits);
    const request = () => limiter.countRequest('tenant', 'key');
    expect(await repeat(15, request)).toBe(10);
    expect(await outcomeOf(limiter.checkCredential('key'))).toBe('RATE_LIMITED');
    expect(await outcomeOf(limiter.checkCredential('other'))).toBe('admitted');
    vi.advanceTimersByTime(10_001);
    expect(await outcomeOf(limiter.checkCredential('key'))).toBe('admitted');
    expect(await repeat(1, request)).toBe(1);
  });

  it('adds up the credentials of a tenant; its signed URLs have a count of their own', async () => {
    const limiter = createRequestLimiter(limits);
    let key = 0;
    const request = () => {
      key += 1;
      return limiter.countRequest('tenant', `key-${key}`);
    };
    expect(await repeat(25, request)).toBe(20);
    expect(await outcomeOf(limiter.countRequest('other', 'key'))).toBe('admitted');
    expect(await repeat(25, () => limiter.countSigned('tenant'))).toBe(20);
  });

  it('counts refused credentials per address, apart from refused signatures [S4]', async () => {
    const limiter = createRequestLimiter(limits);
    expect(await repeat(5, () => limiter.countFailure('credential', '1.2.3.4'))).toBe(3);
    expect(await outcomeOf(limiter.checkAddress('1.2.3.4'))).toBe('RATE_LIMITED');
    expect(await outcomeOf(limiter.checkAddress('1.2.3.5'))).toBe('admitted');
    expect(await repeat(5, () => limiter.countFailure('signature', '1.2.3.4'))).toBe(3);
    vi.advanceTimersByTime(60_001);
    expect(await outcomeOf(limiter.checkAddress('1.2.3.4'))).toBe('admitted');
  });

  it('says when trying again makes sense', async () => {
    const limiter = createRequestLimiter(limits);
    await repeat(10, () => limiter.countRequest('tenant', 'key'));
    const refusal = await limiter.countRequest('tenant', 'key').catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'RATE_LIMITED', retryable: true, details: { retryAfterSeconds: 10 } });
  });

  it('without limits admits everything', async () => {
    const off = { perKeyPerSecond: 0, perTenantPerSecond: 0, failedAuthPerMinutePerAddress: 0 };
    const limiter = createRequestLimiter(off);
    expect(await repeat(100, () => limiter.countRequest('tenant', 'key'))).toBe(100);
    expect(await repeat(100, () => limiter.countFailure('credential', 'a'))).toBe(100);
    expect(await outcomeOf(limiter.checkAddress('a'))).toBe('admitted');
  });
});
