import type { DeliveryId } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { addUsage, endOfRefusal, endOfRun } from './end-of-run.ts';

const deliveryId: DeliveryId = 'dlv_ABEiM0RVZneImaq7zN3u_w';
const withFile = { deliveryId, hasAttachments: true };
const errorOf = (errorMessage: string, hasAttachments: boolean) =>
  endOfRun({ stopReason: 'error', errorMessage }, undefined, { deliveryId, hasAttachments });

describe('the end of a run of pi', () => {
  it.each([
    ['stop', 'end_turn'],
    ['length', 'max_tokens'],
    ['aborted', 'cancelled'],
    ['toolUse', 'toolUse'],
  ])('%s is the stop reason %s, with its delivery', (stopReason, expected) => {
    const end = endOfRun({ stopReason }, undefined, withFile);
    expect(end).toMatchObject({
      status: 'ended',
      stopReason: expected,
      proof: `agent_settled after ${deliveryId} as ${expected}`,
    });
  });

  it('without a message is one that was stopped before its model was asked', () => {
    expect(endOfRun(undefined, undefined, withFile)).toMatchObject({ status: 'ended', stopReason: 'cancelled' });
  });

  it.each([
    [
      '400: {"error":{"message":"bad picture"}}',
      'attachment_provider_rejected',
      'delivery_runtime_transport_failed',
      true,
    ],
    ['401 {"error":"no key"}', 'delivery_agent_auth_required', 'delivery_agent_auth_required', false],
    ['429: slow down', 'attachment_provider_quota_exceeded', 'attachment_provider_quota_exceeded', false],
    ['529: overloaded', 'delivery_runtime_transport_failed', 'delivery_runtime_transport_failed', false],
    ['fetch failed', 'delivery_runtime_transport_failed', 'delivery_runtime_transport_failed', false],
  ])('that failed by %s has its code, with a file and without [DL-38 DL-57]', (message, code, bare, mayBeRefused) => {
    expect(errorOf(message, true)).toMatchObject({ status: 'failed', code, text: message, mayBeRefused });
    expect(errorOf(message, false)).toMatchObject({ status: 'failed', code: bare });
  });

  it('counts the tokens of all its messages', () => {
    const usage = addUsage(addUsage(undefined, { usage: { input: 3, output: 1 } }), { usage: { input: 4, output: 2 } });
    expect(usage).toEqual({ inputTokens: 7, outputTokens: 3 });
    expect(addUsage(usage, { usage: { input: 'many' } })).toEqual(usage);
    expect(endOfRun({ stopReason: 'stop' }, usage, withFile)).toMatchObject({ usage });
  });
});

it('a prompt that was not taken for want of a key says so', () => {
  expect(endOfRefusal('No API key found for anthropic.', withFile)).toMatchObject({
    code: 'delivery_agent_auth_required',
  });
  expect(endOfRefusal('Agent is already processing', withFile)).toMatchObject({
    code: 'delivery_runtime_transport_failed',
  });
});
