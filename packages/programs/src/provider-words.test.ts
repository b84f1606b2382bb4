import type { DeliverRequest } from '@attache/agent-process';
import type { DeliveryId } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { endOfPrompt } from './acp/end-of-prompt.ts';
import { endOfResult } from './claude/stream-json/end-of-result.ts';
import { endOfTurn } from './codex/app-server/end-of-turn.ts';
import { endOfRun } from './pi/rpc/end-of-run.ts';

const deliveryId: DeliveryId = 'dlv_ABEiM0RVZneImaq7zN3u_w';
const quota = 'You have used 100% of your weekly limit; it resets on Monday';
const expiry = 'Your sign-in has expired, please run /login';
const quotaCode = 'attachment_provider_quota_exceeded';
const signInCode = 'delivery_agent_auth_required';

const request = { deliveryId, parts: [{ type: 'text', text: 'hello' }] } as unknown as DeliverRequest;
const troubles = { deliveryId, hasAttachments: false, error: undefined, removedMedia: false };
const claude = (status: number, words: string) =>
  endOfResult({ subtype: 'success', is_error: true, api_error_status: status, result: words }, troubles);
const codex = (codexErrorInfo: unknown, message: string) =>
  endOfTurn({ id: 't', status: 'failed', error: { message, codexErrorInfo } }, request, undefined);
const pi = (errorMessage: string) =>
  endOfRun({ stopReason: 'error', errorMessage }, undefined, { deliveryId, hasAttachments: false });
const prompt = { deliveryId, parts: request.parts, troubles: { removedMedia: false, status: 0, error: undefined } };
const acp = (code: number, message: string, data?: object) =>
  endOfPrompt({ status: 'error', code, message, data }, prompt);
const acpTyped = (category: string, title: string) => {
  const sessionFailure = { severity: 'error', category, title };
  const result = { stopReason: 'end_turn', _meta: { jetbrains: { air: { sessionFailure } } } };
  return endOfPrompt({ status: 'result', result }, prompt);
};

describe('what a provider says of an account', () => {
  it.each([
    ['Claude Code', claude(429, quota)],
    ['pi, by status', pi(`429: ${quota}`)],
    ['Codex, by name', codex('usageLimitExceeded', quota)],
    ['Codex, by status', codex({ responseStreamConnectionFailed: { httpStatusCode: 429 } }, quota)],
    ['a program of ACP, by status', acp(429, 'refused', { details: quota })],
    ['a program of ACP, by name', acp(-32603, quota, { errorKind: 'billing_error' })],
    ['a program of ACP, by category', acpTyped('limit', quota)],
  ])('of its quota is a code, in its own words: %s [DL-57]', (_, end) => {
    expect(end).toMatchObject({ status: 'failed', code: quotaCode, text: expect.stringContaining(quota) });
  });

  it.each([
    ['Claude Code', claude(401, expiry)],
    ['pi, by status', pi(`401: ${expiry}`)],
    ['Codex, by name', codex('unauthorized', expiry)],
    ['Codex, by status', codex({ httpConnectionFailed: { httpStatusCode: 401 } }, expiry)],
    ['a program of ACP, by its own code', acp(-32000, expiry)],
    ['a program of ACP, by status', acp(401, 'refused', { details: expiry })],
    ['a program of ACP, by name', acp(-32603, expiry, { errorKind: 'authentication_failed' })],
    ['a program of ACP, by category', acpTyped('access', expiry)],
  ])('of a sign-in that is missing or over is a code, in its own words: %s [DL-57]', (_, end) => {
    expect(end).toMatchObject({ status: 'failed', code: signInCode, text: expect.stringContaining(expiry) });
  });
});
