import { randomUUID } from 'node:crypto';
import { type Capability, type DeliveryPlan, idFromUuid, type Part } from '@attache/contracts';
import { resolveCapability, type WireBlock } from '@attache/domain';
import { catalog } from '@attache/programs/catalog';
import { describe, expect, it } from 'vitest';
import { type HandedBytes, noteHandedOut } from '../files/handed-out.ts';
import type { SeenRequest, TurnUse } from '../output/output-sink.ts';
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
  resolveCapability(
    {
      target: { profile, runtime: 'acp', provider: profile, model },
      declared: undefined,
      profileCapability: undefined,
      lineBytes: 1_000_000,
    },
    catalog,
  );

const turn = {
  writtenAt: new Date(1000),
  respondedAt: new Date(2000),
  transport: 'acp/stdio',
  stopReason: 'end_turn',
  proof: 'answered',
  handedOut: new Map(),
  modelCalls: { by: 'nobody' } as const,
};

const receiptFor = (stopReason: string, capability = capabilityOf('example', 'example-vision')) =>
  composeReceipt(plan, parts, capability, { ...turn, stopReason });

describe('a receipt [BX-03]', () => {
  it('names the bytes that were sent, by digest, size and form', () => {
    expect(receiptFor('end_turn').items).toEqual([
      {
        attachmentId,
        variantId,
        sha256: bytes.sha256,
        sizeBytes: 12,
        form: 'variant',
        verdict: 'delivered',
        proof: 'answered',
      },
    ]);
  });

  it('says delivered only with evidence in the catalog and a turn that ended well [DL-36]', () => {
    expect(receiptFor('cancelled').items[0]?.verdict).toBe('unknown');
    expect(receiptFor('end_turn', capabilityOf('other', 'some-model')).items[0]?.verdict).toBe('unknown');
  });

  it('says refused where the runtime refused', () => {
    expect(receiptFor('refusal').items[0]?.verdict).toBe('refused');
  });
});

const onWire = { proof: 'wire', wire: { sha256: bytes.sha256, sizeBytes: 12, altered: false } };
const held: WireBlock = {
  ...{ kind: 'media', place: 'user', key: 'a', isReadable: true, sha256: bytes.sha256, sizeBytes: 12 },
};
const accepted = { status: 200, hasBegun: true };

const noUse: TurnUse = { requests: 0, resentBytes: 0, counted: undefined };

/** The receipt of a turn whose program asked its model by the relay. */
function wholeReceiptByRelay(
  requests: SeenRequest[],
  { use = noUse, ...changes }: Partial<Parameters<typeof composeReceipt>[3]> & { use?: TurnUse } = {},
) {
  const contents = { text: () => 'words', embedded: () => ({ bytes: Buffer.alloc(0), sizeBytes: 0 }) };
  const evidence = { turn: { requests, earlier: undefined, use }, parts, contents, attachments: [] };
  const capability = capabilityOf('example', 'example-vision');
  const modelCalls = { by: 'relay', evidence } as const;
  return composeReceipt(plan, parts, capability, { ...turn, ...changes, modelCalls });
}

const receiptByRelay = (requests: SeenRequest[], stopReason = 'end_turn') =>
  wholeReceiptByRelay(requests, { stopReason }).items[0];

const seen = (blocks: WireBlock[], answer = accepted) => ({ hasEnded: true, request: { blocks, answer } });

describe('a receipt of a program that asks its model by the relay [BX-03 BX-23]', () => {
  it('says what left for the provider', () => {
    expect(receiptByRelay([seen([held])])).toMatchObject({ verdict: 'delivered', ...onWire });
    expect(receiptByRelay([seen([])])).toMatchObject({ verdict: 'dropped', proof: 'wire' });
    expect(receiptByRelay([seen([held], { status: 400, hasBegun: false }), seen([])])).toMatchObject({
      ...{ verdict: 'refused', ...onWire },
    });
  });

  it.each([
    ['nothing left', []],
    ['a request has not ended', [seen([]), { hasEnded: false, request: undefined }]],
    ['errands left', [{ hasEnded: true, request: undefined }]],
  ])('says unknown where %s, whatever the transport shows [DL-36]', (_, requests) => {
    const item = receiptByRelay(requests);
    expect(item).toMatchObject({ verdict: 'unknown' });
    expect(item).not.toHaveProperty('proof');
  });

  it('says how often its model was asked and what was sent again, and tokens as the runtime does, else as the provider', () => {
    const use = (given: Partial<TurnUse>) => wholeReceiptByRelay([], { use: { ...noUse, ...given } }).usage;
    expect(use({})).toEqual({ requests: 0, resentBytes: 0 });
    const counted = { inputTokens: 100, cachedInputTokens: 90, outputTokens: 5 };
    expect(use({ requests: 2, resentBytes: 30, counted })).toEqual({ ...counted, requests: 2, resentBytes: 30 });
    const told = wholeReceiptByRelay([], { usage: { inputTokens: 7, totalTokens: 8 }, use: { ...noUse, counted } });
    expect(told.usage).toEqual({ ...counted, inputTokens: 7, totalTokens: 8, requests: 0, resentBytes: 0 });
  });

  it('says refused where the runtime does, with what left', () => {
    const refused = { verdict: 'refused', proof: 'answered', wire: onWire.wire };
    expect(receiptByRelay([seen([held])], 'refusal')).toMatchObject(refused);
  });
});

it('a receipt of a program that asks its model by itself says that nothing proves it [BX-23 BX-24]', () => {
  const receipt = composeReceipt(plan, parts, capabilityOf('example', 'example-vision'), {
    ...{ ...turn, modelCalls: { by: 'program' } },
  });
  expect(receipt.items[0]).toMatchObject({ verdict: 'delivered', proof: 'key in the child, no proof on the wire' });
});

const armed = { ...capabilityOf('example', 'example-vision'), tools: 'yes' as const };
const [whole, page] = ['c'.repeat(64), 'd'.repeat(64)];
const toolPlan: DeliveryPlan = { ...plan, items: [{ attachmentId, becomes: 'tool', checks, warnings: [] }] };
const described: Part[] = [
  { type: 'text', text: 'look' },
  { type: 'descriptor', attachmentId, text: '[attachment]' },
];

function receiptByTool(changes: Partial<Parameters<typeof composeReceipt>[3]>, capability: Capability = armed) {
  return composeReceipt(toolPlan, described, capability, { ...turn, ...changes }).items;
}

describe('a file that an agent may read by tool has its item in the receipt [BX-03 DL-58]', () => {
  const handedOut = new Map([[attachmentId, { sha256: whole, sizeBytes: 99 }]]);

  it('without a digest and unknown while the agent got nothing of it, however the turn ended', () => {
    const nothing = [{ attachmentId, form: 'tool', verdict: 'unknown' }];
    for (const stopReason of ['end_turn', 'refusal', 'cancelled'])
      expect(receiptByTool({ stopReason })).toStrictEqual(nothing);
    const descriptor = { ...toolPlan, items: [{ attachmentId, becomes: 'descriptor' as const, checks, warnings: [] }] };
    expect(composeReceipt(descriptor, described, armed, turn).items).toMatchObject([
      { form: 'descriptor', verdict: 'unknown' },
    ]);
  });

  it('delivered with the digest of what its tools gave it in that turn', () => {
    expect(receiptByTool({ handedOut })).toStrictEqual([
      { attachmentId, sha256: whole, sizeBytes: 99, form: 'tool', verdict: 'delivered', proof: 'resource.viewed' },
    ]);
    const made = new Map([[attachmentId, { variantId, sha256: page, sizeBytes: 7 }]]);
    expect(receiptByTool({ handedOut: made })).toMatchObject([{ variantId, sha256: page, verdict: 'delivered' }]);
  });

  it('unknown where the turn did not end well, where nothing shows that its tools reach it, or where media were taken out', () => {
    const verdicts = [
      receiptByTool({ handedOut, stopReason: 'cancelled' }),
      receiptByTool({ handedOut }, { ...armed, tools: 'no' }),
      receiptByTool({ handedOut, removedMedia: true }),
    ].map(([item]) => item?.verdict);
    expect(verdicts).toEqual(['unknown', 'unknown', 'unknown']);
    expect(receiptByTool({ handedOut, stopReason: 'refusal' })).toMatchObject([{ verdict: 'refused' }]);
  });

  it('by its own bytes rather than by a part of them, whichever came first', () => {
    const attachment = { id: attachmentId, sha256: whole };
    for (const order of [
      [whole, page],
      [page, whole],
      [page, whole, page],
    ]) {
      const kept = new Map<typeof attachmentId, HandedBytes>();
      for (const sha256 of order) noteHandedOut(kept, attachment, { sha256, sizeBytes: 1 });
      expect(kept.get(attachmentId)?.sha256).toBe(whole);
    }
    const parts = new Map<typeof attachmentId, HandedBytes>();
    for (const sha256 of [page, 'e'.repeat(64)]) noteHandedOut(parts, attachment, { sha256, sizeBytes: 1 });
    expect(parts.get(attachmentId)?.sha256).toBe('e'.repeat(64));
  });
});
