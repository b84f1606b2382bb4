import { errorCodes, Fault } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { backoffMs, MAX_ATTEMPTS, settleLost, settleThrown } from './settle.ts';

const retryable = new Fault('MEDIA_WORKER_FAILED', 'The worker ended. Try again.', { retryable: true });
const outage = new Fault('STORAGE_UNAVAILABLE', 'The store does not answer. Try again.', { retryable: true });

const answers = async () => undefined;
const isAway = () => Promise.reject(new Error('it does not answer'));
const settleError = (error: unknown, attempt: number) =>
  settleThrown(error, attempt, { checkDatabase: answers, checkStore: answers });

describe('settleThrown', () => {
  it('brings a retryable fault again without a storm, later each time, up to half a minute [W10 W11]', async () => {
    const delays = await Promise.all([1, 2, 3, 4].map((attempt) => settleError(retryable, attempt)));
    expect(delays).toEqual([
      { as: 'retry', delayMs: 200 },
      { as: 'retry', delayMs: 400 },
      { as: 'retry', delayMs: 800 },
      { as: 'retry', delayMs: 1600 },
    ]);
    expect(backoffMs(50)).toBe(30_000);
  });

  it('gives up at the fifth attempt, and after it [W10]', async () => {
    expect(MAX_ATTEMPTS).toBe(5);
    expect(await settleError(retryable, 5)).toEqual({ as: 'term', reason: 'MEDIA_WORKER_FAILED after 5 attempts' });
    expect(await settleError(retryable, 9)).toMatchObject({ as: 'term' });
  });

  it('waits for a server that is away, however often and however long, without counting [W10 W14 W15]', async () => {
    const database = new Fault('DATABASE_UNAVAILABLE', 'It does not answer. Try again.', { retryable: true });
    for (const attempt of [1, MAX_ATTEMPTS, 30, 100_000]) {
      const away = { checkDatabase: isAway, checkStore: isAway };
      expect(await settleThrown(outage, attempt, away)).toEqual({ as: 'later' });
      expect(await settleThrown(database, attempt, away)).toEqual({ as: 'later' });
      // A consumer that does not use the store cannot ask it.
      expect(await settleThrown(outage, attempt, { checkDatabase: answers })).toEqual({ as: 'later' });
    }
  });

  it('counts what a server that answers refuses to this message alone, half a minute apart [W10 W14 W15]', async () => {
    expect(await settleError(outage, 1)).toEqual({ as: 'retry', delayMs: 30_000 });
    const reason = 'STORAGE_UNAVAILABLE after 5 attempts';
    expect(await settleError(outage, MAX_ATTEMPTS)).toEqual({ as: 'term', reason });
    const late = new Fault('DATABASE_UNAVAILABLE', 'The statement took too long.', { retryable: true });
    expect(await settleThrown(late, 2, { checkDatabase: answers, checkStore: isAway })).toMatchObject({ as: 'retry' });
  });

  it('puts back at once what a process that stops has given up, without counting [W10]', async () => {
    const stopping = new Fault('SHUTTING_DOWN', 'The media pool is stopping. Try again later.', { retryable: true });
    for (const attempt of [1, MAX_ATTEMPTS, 30])
      expect(await settleError(stopping, attempt)).toEqual({ as: 'later', delayMs: 0 });
  });

  it('gives up at once where trying again cannot help [W10]', async () => {
    const passing = ['DATABASE_UNAVAILABLE', 'STORAGE_UNAVAILABLE', 'SHUTTING_DOWN'];
    for (const code of errorCodes.filter((one) => !passing.includes(one))) {
      expect(await settleError(new Fault(code, 'No.'), 1)).toEqual({ as: 'term', reason: code });
    }
  });

  it('treats a bug as retryable, and names its class, never its words [W10 S27]', async () => {
    const bug = new TypeError('cannot read canary-secret of undefined');
    expect(await settleError(bug, 1)).toEqual({ as: 'retry', delayMs: 200 });
    expect(await settleError(bug, MAX_ATTEMPTS)).toEqual({ as: 'term', reason: 'TypeError after 5 attempts' });
    expect(await settleError('canary-secret', MAX_ATTEMPTS)).toEqual({
      as: 'term',
      reason: 'unknown error after 5 attempts',
    });
  });
});

describe('settleLost', () => {
  it('gives up before the sixth attempt where five ended without a word [W10]', () => {
    for (const attempt of [1, 2, MAX_ATTEMPTS]) expect(settleLost(attempt)).toBeUndefined();
    expect(settleLost(MAX_ATTEMPTS + 1)).toEqual({ as: 'term', reason: 'not settled in 5 attempts' });
  });
});
