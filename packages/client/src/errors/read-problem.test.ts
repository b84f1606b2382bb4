import { errorCodes } from '@attache/contracts';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { AttacheError, isAttacheError } from './attache-error.ts';
import { isKnownCode } from './error-codes.ts';
import { readProblem } from './read-problem.ts';

const read = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  readProblem({
    status,
    text: typeof body === 'string' ? body : JSON.stringify(body),
    header: (name) => headers[name] ?? null,
  });

describe('an error', () => {
  it('has the code, words and trace of the server', () => {
    const body = { code: 'SESSION_ENDED', detail: 'It has ended.', retryable: false, requestId: 'abc' };
    const expected = { code: 'SESSION_ENDED', message: 'It has ended.', status: 409, requestId: 'abc', isKnown: true };
    expect(read(409, body)).toMatchObject(expected);
  });

  it('with a code of a newer server is not known, and keeps the code', () => {
    expect(read(409, { code: 'SESSION_FROZEN' })).toMatchObject({ code: 'SESSION_FROZEN', isKnown: false });
  });

  it.each([
    [401, 'UNAUTHENTICATED'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [429, 'RATE_LIMITED'],
    [502, 'ANSWER_UNREADABLE'],
  ])('of a proxy that answers %s is %s', (status, code) => {
    expect(read(status, '<html>')).toMatchObject({ code, status });
  });

  it('narrows by its code', () => {
    const error: unknown = read(422, { code: 'DELIVERY_BLOCKED', detail: 'No.' });
    if (!isAttacheError(error, 'DELIVERY_BLOCKED')) throw error;
    expect([error.failures, error.plans]).toEqual([[], []]);
    const limited: unknown = read(429, { code: 'RATE_LIMITED', detail: 'Wait.' }, { 'retry-after': '7' });
    if (!isAttacheError(limited, 'RATE_LIMITED')) throw limited;
    expectTypeOf(limited.retryAfterSeconds).toEqualTypeOf<number>();
    expect(limited.retryAfterSeconds).toBe(7);
  });

  it('is told from others', () => {
    expect(isAttacheError(new Error('x'))).toBe(false);
    expect(isAttacheError(new AttacheError('INTERNAL', 'x'), 'FORBIDDEN')).toBe(false);
  });

  it('knows every code of the contract', () => {
    expect(errorCodes.filter((code) => !isKnownCode(code))).toEqual([]);
    expect(isKnownCode('toString')).toBe(false);
  });
});
