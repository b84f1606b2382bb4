import type { DeliveryId } from '@attache/contracts';
import { expect, it } from 'vitest';
import { endOfPrompt } from '../acp/end-of-prompt.ts';
import { createTroubleLog } from '../acp/troubles.ts';
import { readRawTroubles } from './raw-troubles.ts';

const deliveryId: DeliveryId = 'dlv_ABEiM0RVZneImaq7zN3u_w';
const picture = { type: 'image' } as never;
const tell = (...messages: object[]) => {
  const troubles = createTroubleLog();
  for (const message of messages) troubles.note(readRawTroubles({ sessionId: 's', message }));
  return troubles;
};
const removed = { type: 'assistant', api_error: 'media_removed', error: 'invalid_request' };

it('a picture that was taken out is told of with the turn that went on without it, and not with the next [DL-58]', () => {
  const troubles = tell(removed, { type: 'assistant', message: { content: [] } });
  const answer = { status: 'result', result: { stopReason: 'end_turn' } } as const;
  const end = () => endOfPrompt(answer, { deliveryId, parts: [picture], troubles: troubles.take() });
  expect(end()).toMatchObject({ status: 'ended', removedMedia: true });
  expect(end()).toMatchObject({ status: 'ended', removedMedia: false });
});

it.each([
  [400, 'attachment_provider_rejected'],
  [401, 'delivery_agent_auth_required'],
  [413, 'attachment_provider_rejected'],
  [429, 'attachment_provider_quota_exceeded'],
  [529, 'delivery_runtime_transport_failed'],
])(
  'the status %i of a refusal says more than the answer that the program gives of it [DL-38 DL-57]',
  (status, code) => {
    const troubles = tell({ type: 'result', is_error: true, api_error_status: status }).take();
    const answer = { status: 'error', code: -32603, message: 'internal', data: undefined } as const;
    expect(endOfPrompt(answer, { deliveryId, parts: [picture], troubles })).toMatchObject({ status: 'failed', code });
  },
);

it('what is no message at all is no trouble', () => {
  const troubles = tell();
  for (const params of [undefined, null, 1, 'x', [], { message: 7 }, { message: { error: 9 } }])
    troubles.note(readRawTroubles(params));
  expect(troubles.take()).toEqual({ removedMedia: false, status: 0, error: undefined });
});
