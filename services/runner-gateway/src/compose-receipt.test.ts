import { randomUUID } from 'node:crypto';
import { type DeliveryPlan, idFromUuid, type Part } from '@attache/contracts';
import { resolveCapability } from '@attache/domain';
import { describe, expect, it } from 'vitest';
import { composeReceipt } from './compose-receipt.ts';

const attachmentId = idFromUuid('attachment', randomUUID());
const variantId = idFromUuid('variant', randomUUID());
const checks = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' } as const;
const plan: DeliveryPlan = {
  agentId: idFromUuid('agent', randomUUID()),
  decision: 'deliver',
  items: [{ attachmentId, becomes: 'variant', checks, warnings: [] }],
  failures: [],
  budget: {},
};
const bytes = { attachmentId, variantId, mimeType: 'image/png', sizeBytes: 12, sha256: 'b'.repeat(64) };
const parts: Part[] = [
  { type: 'text', text: 'look' },
  { type: 'image', bytes },
];

const capabilityOf = (profile: string, model: string) =>
  resolveCapability({
    target: { profile, runtime: 'acp', provider: profile, model },
    declared: undefined,
    profileCapability: undefined,
    lineBytes: 1_000_000,
  });

const receiptFor = (stopReason: string, capability = capabilityOf('example', 'example-vision')) =>
  composeReceipt(plan, parts, capability, {
    writtenAt: new Date(1000),
    respondedAt: new Date(2000),
    transport: 'acp/stdio',
    stopReason,
    proof: 'answered',
  });

describe('a receipt [BX-03]', () => {
  it('names the bytes that were sent, by digest, size and form', () => {
    expect(receiptFor('end_turn').items).toEqual([
      { attachmentId, variantId, sha256: bytes.sha256, sizeBytes: 12, form: 'variant', verdict: 'delivered' },
    ]);
  });

  it('says delivered only with evidence in the catalog and a turn that ended well', () => {
    expect(receiptFor('cancelled').items[0]?.verdict).toBe('unknown');
    expect(receiptFor('end_turn', capabilityOf('other', 'some-model')).items[0]?.verdict).toBe('unknown');
  });

  it('says refused where the runtime refused', () => {
    expect(receiptFor('refusal').items[0]?.verdict).toBe('refused');
  });
});
