import type { Failure, FailureCode } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { explainEnd, type RequestEnd } from './explain-end.ts';

const said = (code: FailureCode): Failure => ({
  ...{ code, severity: 'error', userMessage: 'of the program', diagnostic: 'its words', retryable: false },
});
const refused = (
  status: number,
  error: object = {},
  more: Partial<Extract<RequestEnd, { as: 'refused' }>> = {},
): RequestEnd => ({
  ...{ as: 'refused', api: 'openai-responses', refusal: { status, text: JSON.stringify({ error }) } },
  ...{ retryAfterMs: undefined, ...more },
});
const keptBack = (code: string, field?: string): RequestEnd => ({ as: 'kept-back', code, field });

const rejected = said('attachment_provider_rejected');
const spoiled = said('attachment_earlier_rejected');
const signedOut = said('delivery_agent_auth_required');
const quotaUsed = said('attachment_provider_quota_exceeded');
const transport = 'delivery_runtime_transport_failed';

describe('the failure of a turn whose requests passed the relay', () => {
  it.each([
    ['an outage is no poisoned conversation', spoiled, refused(502), transport],
    ['nor is a fault of the provider', spoiled, refused(500), transport],
    ['nor is a connection that is reset', spoiled, { as: 'unreached' }, transport],
    ['an answer that breaks off is no refusal', rejected, { as: 'broken' }, transport],
    ['an answer that the program cannot use is none either', rejected, { as: 'answered' }, transport],
    ['nor is it a file of an earlier turn', spoiled, { as: 'answered' }, transport],
    ['an error of nobody in a stream is none either', rejected, refused(200, { type: 'surprise' }), transport],
    ['a model that is not there is said to be so', rejected, refused(404), transport],
    ['a key is what is refused, and not a file', rejected, refused(403), 'delivery_agent_auth_required'],
    ['a field that the relay refuses is no sign-in', signedOut, keptBack('relay_field_refused', 'x'), transport],
    [
      'a limit of seconds is no quota',
      quotaUsed,
      refused(429, {}, { retryAfterMs: 2_000 }),
      'attachment_provider_rate_limited',
    ],
    [
      'nor is a line of requests at the relay',
      quotaUsed,
      keptBack('relay_provider_limited'),
      'attachment_provider_rate_limited',
    ],
    ['a quota is one', spoiled, refused(429), 'attachment_provider_quota_exceeded'],
    [
      'a quota is one whenever it ends',
      rejected,
      refused(429, { code: 'insufficient_quota' }, { retryAfterMs: 2_000 }),
      'attachment_provider_quota_exceeded',
    ],
    [
      'a wait of an hour is one',
      rejected,
      refused(429, {}, { retryAfterMs: 600_000 }),
      'attachment_provider_quota_exceeded',
    ],
    ['an account without money is none of a file', rejected, refused(402), 'attachment_provider_quota_exceeded'],
    [
      'nor is it with the status of a refused content',
      rejected,
      refused(400, { code: 'billing_hard_limit_reached' }),
      'attachment_provider_quota_exceeded',
    ],
    [
      'a key that is refused with that status is one',
      rejected,
      refused(400, { code: 'invalid_api_key' }),
      'delivery_agent_auth_required',
    ],
    ['a setting that is refused is no file', rejected, refused(400, { param: 'max_tokens' }), transport],
    [
      'a rate whose wait is said in words is no quota',
      quotaUsed,
      refused(429, { code: 'rate_limit_exceeded' }),
      'attachment_provider_rate_limited',
    ],
    ['a day’s tokens are a quota', rejected, keptBack('relay_tenant_quota'), 'attachment_provider_quota_exceeded'],
    ['a key that is not there is no sign-in', rejected, keptBack('relay_key_missing'), 'delivery_agent_auth_required'],
    ['a key that cannot be read now is none either', signedOut, keptBack('relay_key_unreadable'), transport],
  ] as const)('%s [DL-37 DL-38 DL-57]', (_, failure, end, code) => {
    const explained = explainEnd(failure, end, true);
    expect(explained).toMatchObject({ code, retryable: true, diagnostic: 'its words' });
    expect(explained.userMessage).not.toBe('of the program');
  });

  it.each([
    ['a refusal of the content', refused(400)],
    ['an error in a stream that says that the picture is at fault', refused(200, { code: 'invalid_image' })],
    ['a request of which nothing was seen', undefined],
  ] as const)('is what the program says after %s [DL-38]', (_, end) => {
    expect(explainEnd(rejected, end, true)).toBe(rejected);
  });

  it('is a refusal of the files by its status, where the program says only that something failed [DL-38 DL-57]', () => {
    const unsaid = said(transport);
    const code = 'attachment_provider_rejected';
    expect(explainEnd(unsaid, refused(400), true)).toMatchObject({
      code,
      retryable: false,
      safeDetails: { status: 400 },
    });
    expect(explainEnd(unsaid, refused(400), false)).toBe(unsaid);
  });

  it('is not worth a retry where the request is larger than the model takes [DL-38 DL-42]', () => {
    const code = 'attachment_serialized_payload_too_large';
    expect(explainEnd(rejected, keptBack('relay_body_too_large'), true)).toMatchObject({ code, retryable: false });
  });

  it('names Google’s reason for a key that it does not take [DL-38 DL-57]', () => {
    const text = JSON.stringify({ error: { code: 400, details: [{ reason: 'API_KEY_INVALID' }] } });
    const end = refused(400, {}, { api: 'google', refusal: { status: 400, text } });
    expect(explainEnd(rejected, end, true)).toMatchObject({ code: 'delivery_agent_auth_required', retryable: true });
  });

  it('is the program’s reason where that has read the provider’s words [DL-38 DL-57]', () => {
    expect(explainEnd(quotaUsed, refused(400), true)).toBe(quotaUsed);
  });

  it('is what the program says where its own process is at fault [DL-38]', () => {
    const crashed = said('delivery_agent_crashed');
    expect(explainEnd(crashed, refused(502), true)).toBe(crashed);
  });

  it('says how long to wait, which Google says in its body [DL-38]', () => {
    const text = JSON.stringify({ error: { code: 429, details: [{ retryDelay: '32.5s' }] } });
    const end = refused(429, {}, { api: 'google', refusal: { status: 429, text } });
    expect(explainEnd(quotaUsed, end, true).safeDetails).toEqual({ status: 429, retryAfterSeconds: 33 });
  });

  it('says what the provider did where its program asked again until the turn was over [DL-38]', () => {
    const timeout = { ...said('delivery_turn_timeout'), safeDetails: { turnMs: 60_000 } };
    expect(explainEnd(timeout, refused(503), true)).toMatchObject({
      ...{ code: 'delivery_turn_timeout', userMessage: expect.stringContaining('status 503') },
    });
    expect(explainEnd(timeout, { as: 'answered' }, true)).toBe(timeout);
  });
});
