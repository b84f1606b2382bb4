import { type Capability, type KindCapability, sessionPolicySchema } from '@attache/contracts';
import { expect, it } from 'vitest';
import { listAccepted } from './list-accepted.ts';

const none: KindCapability = { transport: 'no', model: 'yes', mimeTypes: [] };
const capability: Capability = {
  image: {
    ...{ transport: 'yes', model: 'yes', mimeTypes: ['image/png'], carriage: 'file' },
    ...{ maxInlineBytes: 3_000, maxFileBytes: 2_000, maxCount: 20, maxEdgePixels: 8_000, maxPixels: 1_000_000 },
  },
  document: { transport: 'yes', model: 'unknown', mimeTypes: ['application/pdf'], maxPages: 100 },
  text: { transport: 'yes', model: 'yes', mimeTypes: ['text/plain'], maxInlineBytes: 500, maxFileBytes: 400 },
  audio: none,
  video: { transport: 'unknown', model: 'no', mimeTypes: [] },
  embeddedContext: 'yes',
  forwardsNative: true,
  evidence: { source: 'static', note: 'of this test' },
};

it('says of each kind whether a target takes it, and within which limits', () => {
  const accepted = listAccepted(capability);
  expect(accepted).toEqual([
    {
      ...{ kind: 'image', accepted: 'yes', mimeTypes: ['image/png'], maxBytes: 2_000 },
      ...{ maxCount: 20, maxEdgePixels: 8_000, maxPixels: 1_000_000 },
    },
    { kind: 'document', accepted: 'unknown', mimeTypes: ['application/pdf'], maxPages: 100 },
    { kind: 'text', accepted: 'yes', mimeTypes: ['text/plain'], maxBytes: 500 },
    { kind: 'audio', accepted: 'no', mimeTypes: [] },
    { kind: 'video', accepted: 'no', mimeTypes: [] },
  ]);
  const { accepts } = sessionPolicySchema.shape.agents.element.shape;
  expect(accepts.parse(accepted)).toEqual(accepted);
});
