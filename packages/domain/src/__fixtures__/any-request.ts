import type { AgentId, TriState } from '@attache/contracts';
import fc from 'fast-check';
import { attachmentId, givenRequest } from '../plan/__fixtures__/plan-fixtures.ts';
import type { PlannableAttachment, PlanRequestInput } from '../plan/plan-delivery.ts';

const optional = <T>(values: fc.Arbitrary<T>) => fc.option(values, { nil: undefined });
const tri = fc.constantFrom<TriState>('yes', 'yes', 'yes', 'no', 'unknown');
const mostlyReady = fc.constantFrom('ready', 'ready', 'ready', 'ready', 'ready', 'pending', 'rejected');
const defined = (facts: object) => Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));

const image = fc
  .record({
    mimeType: fc.constantFrom('image/png', 'image/jpeg', 'image/gif', 'image/avif', 'image/heic', 'image/tiff'),
    sizeBytes: fc.integer({ min: 1, max: 30_000_000 }),
    status: mostlyReady,
    facts: fc
      .record({
        width: optional(fc.integer({ min: 1, max: 20_000 })),
        height: optional(fc.integer({ min: 1, max: 20_000 })),
        animated: optional(fc.boolean()),
        hasAlpha: optional(fc.boolean()),
      })
      .map(defined),
  })
  .map((facts) => ({ ...facts, kind: 'image' }));
const text = fc
  .record({
    mimeType: fc.constantFrom('text/plain', 'application/json'),
    sizeBytes: fc.integer({ min: 1, max: 3_000_000 }),
    status: mostlyReady,
    facts: fc.record({ encoding: optional(fc.constantFrom('utf-8', 'utf-16le', 'koi8-r')) }).map(defined),
  })
  .map((facts) => ({ ...facts, kind: 'text' }));
const document = fc
  .record({
    mimeType: fc.constant('application/pdf'),
    sizeBytes: fc.integer({ min: 1, max: 30_000_000 }),
    status: mostlyReady,
    facts: fc
      .record({ pages: optional(fc.nat({ max: 200 })), textBytes: optional(fc.nat({ max: 3_000_000 })) })
      .map(defined),
  })
  .map((facts) => ({ ...facts, kind: 'document' }));
const other = fc.constantFrom('audio', 'video', 'unsupported').map((kind) => {
  return {
    kind,
    mimeType: kind === 'audio' ? 'audio/wav' : 'application/zip',
    sizeBytes: 10,
    status: 'ready',
    facts: {},
  };
});

const attachments = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: image },
      { weight: 3, arbitrary: text },
      { weight: 3, arbitrary: document },
      { weight: 1, arbitrary: other },
    ),
    { maxLength: 8 },
  )
  .map((all) =>
    all.map((one, index) => ({ id: attachmentId(index), name: `n"${index}`, ...one }) as PlannableAttachment),
  );

const kindLimits = fc.record({
  transport: tri,
  model: tri,
  mimeTypes: fc.subarray(['image/png', 'image/jpeg', 'image/gif', 'image/webp']),
  maxInlineBytes: optional(fc.integer({ min: 1, max: 30_000_000 })),
  maxCount: optional(fc.integer({ min: 1, max: 10 })),
  maxEdgePixels: optional(fc.integer({ min: 1, max: 10_000 })),
  maxPixels: optional(fc.integer({ min: 1, max: 100_000_000 })),
  maxPages: optional(fc.integer({ min: 1, max: 300 })),
  carriage: optional(fc.constantFrom('inline' as const, 'file' as const)),
});

/** A message to a target, both of any shape that the contract allows. */
export const anyRequest: fc.Arbitrary<PlanRequestInput & { agentId: AgentId }> = fc
  .record({
    attachments,
    image: kindLimits.map(defined),
    textLimits: kindLimits.map(defined),
    documentLimits: kindLimits.map((limits) => ({ ...defined(limits), mimeTypes: ['application/pdf'] })),
    tools: fc.constantFrom<TriState>('no', 'no', 'yes'),
    files: fc.constantFrom<TriState | undefined>(undefined, 'no', 'yes'),
    lineBytes: fc.oneof(fc.integer({ min: 1024, max: 200_000 }), fc.integer({ min: 1024, max: 60_000_000 })),
    maxRequestBytes: optional(fc.integer({ min: 1, max: 60_000_000 })),
    text: fc.string(),
    conversions: fc.constantFrom('allow' as const, 'deny' as const),
    isUnknownOverridden: fc.boolean(),
    resident: fc.record({
      ...{ images: fc.nat({ max: 5 }), bytes: fc.nat({ max: 1_000_000 }) },
      imageBytes: fc.nat({ max: 1_000_000 }),
    }),
    setsAside: fc.boolean(),
  })
  .map(({ image, textLimits, documentLimits, tools, files, lineBytes, maxRequestBytes, ...rest }) => {
    const base = givenRequest({ lineBytes, ...rest });
    const limits = maxRequestBytes === undefined ? {} : { maxRequestBytes };
    return {
      ...base,
      capability: {
        ...base.capability,
        ...limits,
        tools,
        ...(files === undefined ? {} : { files: { read: files, evidence: { source: 'static', note: 'seen' } } }),
        image,
        text: textLimits,
        document: documentLimits,
      } as PlanRequestInput['capability'],
    };
  });
