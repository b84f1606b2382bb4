import { Fault } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { exitCodes } from './exit-codes.ts';
import { explainError } from './explain-error.ts';

describe('what a person is told of an error', () => {
  it.each([
    ['CONFIGURATION_INVALID', exitCodes.usage],
    ['INVALID_REQUEST', exitCodes.usage],
    ['TENANT_NOT_FOUND', exitCodes.notFound],
    ['KEY_NOT_FOUND', exitCodes.notFound],
    ['DEAD_LETTER_NOT_FOUND', exitCodes.notFound],
    ['DATABASE_UNAVAILABLE', exitCodes.dependencyDown],
    ['STORAGE_UNAVAILABLE', exitCodes.dependencyDown],
    ['FORBIDDEN', exitCodes.denied],
    ['UNAUTHENTICATED', exitCodes.denied],
    ['DELIVERY_BLOCKED', exitCodes.blocked],
    ['SESSION_ENDED', exitCodes.failed],
  ] as const)('is the sentence of a fault, and for %s the exit code %i', (code, exitCode) => {
    const fault = new Fault(code, 'What to do.', { cause: new Error('inner') });
    expect(explainError(fault)).toEqual({ message: 'What to do.', exitCode });
  });

  it('of a bug keeps the stack, whatever was thrown', () => {
    const bug = new TypeError('x is not a function');
    const explained = explainError(bug);
    expect(explained.exitCode).toBe(exitCodes.failed);
    expect(explained.message).toContain(bug.stack);
    expect(explainError('a string').message).toContain('a string');
  });
});
