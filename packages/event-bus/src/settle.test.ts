import { errorCodes, Fault } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { backoffMs, MAX_ATTEMPTS, settleError } from './settle.ts';

const retryable = new Fault('STORAGE_UNAVAILABLE', 'The store does not answer. Try again.', { retryable: true });

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
    expect(settleError(retryable, 5)).toEqual({ as: 'term', reason: 'STORAGE_UNAVAILABLE after 5 attempts' });
    expect(settleError(retryable, 9)).toMatchObject({ as: 'term' });
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
