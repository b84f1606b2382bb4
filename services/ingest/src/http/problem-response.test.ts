import { errorCodes, Fault, problemSchema } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { asFault, describeProblem, problemResponse } from './problem-response.ts';

const requestId = 'a'.repeat(32);

describe('a problem [DL-38]', () => {
  it.each(errorCodes)('%s has a status, a title and its code', (code) => {
    const problem = describeProblem(new Fault(code, 'What to do.'), requestId);
    expect(problemSchema.parse(problem)).toEqual(problem);
    expect(problem).toMatchObject({ code, detail: 'What to do.', retryable: false, requestId });
    expect(problem.status).toBeGreaterThanOrEqual(400);
  });

  it('shows nothing of a bug', async () => {
    const response = problemResponse(asFault(new Error('password=hunter2 in /home/me')), requestId);
    expect(response.status).toBe(500);
    expect(await response.text()).not.toMatch(/hunter2|home/);
  });

  it('says when to try again', () => {
    const fault = new Fault('ATTACHMENT_PENDING', 'Wait.', { retryable: true, retryAfterSeconds: 2 });
    expect(problemResponse(fault, requestId).headers.get('retry-after')).toBe('2');
  });
});
