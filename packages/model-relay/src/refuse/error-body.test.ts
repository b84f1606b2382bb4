import { describe, expect, it } from 'vitest';
import type { RefusalCode } from '../relay-types.ts';
import { writeErrorBody } from './error-body.ts';
import { refusals } from './refusals.ts';

describe('an error has the shape of its API', () => {
  const { message } = refusals.relay_outside_turn;
  it.each([
    ['anthropic', { type: 'error', error: { type: 'permission_error', message } }],
    ['openai-responses', { error: { message, type: 'permission_error', param: null, code: 'relay_outside_turn' } }],
    ['openai-chat', { error: { message, type: 'permission_error', param: null, code: 'relay_outside_turn' } }],
    ['google', { error: { code: 403, message, status: 'PERMISSION_DENIED' } }],
  ] as const)('%s', (api, body) => {
    expect(JSON.parse(writeErrorBody(api, 'relay_outside_turn'))).toEqual(body);
  });

  it.each(Object.keys(refusals) as RefusalCode[])('%s has a status of errors, and says what to do', (code) => {
    const { status, message: said } = refusals[code];
    expect(status).toBeGreaterThanOrEqual(400);
    expect(said).toMatch(/^[A-Z].*\.$/);
    expect(JSON.parse(writeErrorBody('google', code)).error).toMatchObject({
      code: status,
      status: expect.stringMatching(/^[A-Z_]+$/),
    });
  });
});
