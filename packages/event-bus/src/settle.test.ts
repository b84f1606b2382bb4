import { errorCodes, Fault } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { backoffMs, MAX_ATTEMPTS, MAX_OUTAGE_ATTEMPTS, settleError } from './settle.ts';

const retryable = new Fault('MEDIA_WORKER_FAILED', 'The worker ended. Try again.', { retryable: true });
const outage = new Fault('STORAGE_UNAVAILABLE', 'The store does not answer. Try again.', { retryable: true });

describe('settleError', () => {
  it('brings a retryable fault again, later each time, up to half a minute [W10 W11]', () => {
    const delays = [1, 2, 3, 4].map((attempt) => settleError(retryable, attempt));
    expect(delays).toEqual([
      { as: 'nak', delayMs: 200 },
      { as: 'nak', delayMs: 400 },
      { as: 'nak', delayMs: 800 },
      { as: 'nak', delayMs: 1600 },
    ]);
    expect(backoffMs(50)).toBe(30_000);
  });

  it('gives up at the fifth attempt, and after it [W10]', () => {
    expect(MAX_ATTEMPTS).toBe(5);
    expect(settleError(retryable, 5)).toEqual({ as: 'term', reason: 'MEDIA_WORKER_FAILED after 5 attempts' });
    expect(settleError(retryable, 9)).toMatchObject({ as: 'term' });
  });

  it('waits for a server that is away for more than ten minutes, then gives up [W10 W14 W15]', () => {
    expect(settleError(outage, MAX_ATTEMPTS)).toEqual({ as: 'nak', delayMs: backoffMs(MAX_ATTEMPTS) });
    expect(settleError(outage, MAX_OUTAGE_ATTEMPTS - 1)).toMatchObject({ as: 'nak' });
    expect(settleError(outage, MAX_OUTAGE_ATTEMPTS)).toMatchObject({ as: 'term' });
    const waits = Array.from({ length: MAX_OUTAGE_ATTEMPTS - 1 }, (_, index) => backoffMs(index + 1));
    expect(waits.reduce((sum, ms) => sum + ms, 0)).toBeGreaterThan(10 * 60_000);
  });

  it('gives a consumer whose messages also come again for other reasons more attempts [W10]', () => {
    expect(settleError(retryable, 5, 30)).toMatchObject({ as: 'nak' });
    expect(settleError(retryable, 30, 30)).toMatchObject({ as: 'term' });
  });

  it('gives up at once where trying again cannot help [W10]', () => {
    for (const code of errorCodes) {
      expect(settleError(new Fault(code, 'No.'), 1)).toEqual({ as: 'term', reason: code });
    }
  });

  it('treats a bug as retryable, and names its class, never its words [W10 S27]', () => {
    const bug = new TypeError('cannot read canary-secret of undefined');
    expect(settleError(bug, 1)).toEqual({ as: 'nak', delayMs: 200 });
    expect(settleError(bug, MAX_ATTEMPTS)).toEqual({ as: 'term', reason: 'TypeError after 5 attempts' });
    expect(settleError('canary-secret', MAX_ATTEMPTS)).toEqual({
      as: 'term',
      reason: 'unknown error after 5 attempts',
    });
  });
});
