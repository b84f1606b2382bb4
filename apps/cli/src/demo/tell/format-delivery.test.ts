import { type Delivery, type DeliveryPlan, type Failure, idFromUuid, type Receipt } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { formatDelivery, formatFailures, formatReceipt } from './format-delivery.ts';

const uuid = '0188f3a0-0000-7000-8000-000000000001';
const attachmentId = idFromUuid('attachment', uuid);
const agentId = idFromUuid('agent', uuid);
const sha256 = 'ab'.repeat(32);
const checks = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'no', prepare: 'unknown' } as const;
const plan: DeliveryPlan = {
  agentId,
  decision: 'blocked',
  items: [{ attachmentId, becomes: 'blocked', checks, warnings: [] }],
  failures: [],
  budget: {},
};
const step = { attempt: 1, traceId: 't' };

describe('the timeline', () => {
  it('says when each step was reached, how long after the one before, by whom and under which epoch', () => {
    const delivery: Delivery = {
      id: idFromUuid('delivery', uuid),
      messageId: idFromUuid('message', uuid),
      agentId,
      status: 'written',
      attempts: 1,
      plan,
      traceId: 't',
      timeline: [
        {
          ...step,
          at: '2026-11-21T10:00:00.000Z',
          status: 'queued',
          actor: { type: 'key', id: idFromUuid('key', uuid) },
        },
        {
          ...step,
          at: '2026-11-21T10:00:01.250Z',
          status: 'written',
          actor: { type: 'service', id: 'runner-gateway' },
          epoch: 3,
        },
      ],
      schemaVersion: 1,
    };
    expect(formatDelivery(delivery)).toEqual([
      '2026-11-21T10:00:00.000Z      +0 ms  queued     key',
      '2026-11-21T10:00:01.250Z   +1250 ms  written    runner-gateway, epoch 3',
    ]);
  });
});

describe('the receipt', () => {
  it('names transport, proof, and of each file its form, size, verdict and digest', () => {
    const receipt: Receipt = {
      writtenAt: '2026-11-21T10:00:00.000Z',
      transport: 'acp/stdio',
      proof: 'session/prompt answered end_turn',
      items: [{ attachmentId, sha256, sizeBytes: 7, form: 'native', verdict: 'delivered' }],
    };
    expect(formatReceipt(receipt)).toEqual([
      'transport acp/stdio, proof session/prompt answered end_turn',
      `${attachmentId}  native  7 bytes  delivered\n    sha256 ${sha256}`,
    ]);
  });
});

describe('a refusal', () => {
  it('gives each reason with its code, and what every gate answered', () => {
    const failure: Failure = {
      code: 'attachment_model_vision_unsupported',
      severity: 'error',
      userMessage: 'This model takes no images.',
      diagnostic: '',
      retryable: false,
    };
    expect(formatFailures([failure], [plan])).toEqual([
      'attachment_model_vision_unsupported: This model takes no images.',
      `${attachmentId} becomes blocked: decode yes, budget yes, transport yes, model no, prepare unknown`,
    ]);
  });
});
