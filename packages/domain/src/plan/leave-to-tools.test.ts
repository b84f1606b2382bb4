import type { AttachmentKind, Capability } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { trialCatalog } from '../__fixtures__/trial-catalog.ts';
import { resolveCapability } from '../target/resolve-capability.ts';
import {
  type Given,
  givenAttachment,
  givenPdf,
  givenRequest,
  givenTarget,
  givenText,
} from './__fixtures__/plan-fixtures.ts';
import { planDelivery } from './plan-delivery.ts';

const planOne = (given: Given) => {
  const { decision, items, failures } = planDelivery(givenRequest(given));
  return { decision, item: items[0], failure: failures[0] };
};

const capabilityOf = (program: string, hasOwnTools: boolean, profileCapability = {}) =>
  resolveCapability(
    {
      target: { profile: 'mine', runtime: 'acp', provider: 'elsewhere', model: 'm' },
      command: [program],
      ...{
        declared: { image: true, audio: true, embeddedContext: true },
        profileCapability,
        lineBytes: 1e7,
        hasOwnTools,
      },
    },
    trialCatalog,
  );

const seeing = { image: true, pdf: true };
const armed = capabilityOf('reader', true, seeing);
const denied = capabilityOf('reader', false, seeing);
const blind = capabilityOf('reader', true, { image: false });
const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const fileOf = (mimeType: string, kind: AttachmentKind, facts = {}) => givenAttachment(1, { mimeType, kind, facts });
const gif = fileOf('image/gif', 'image', { width: 9, height: 9, animated: true, hasAlpha: false });

describe('a file of a kind that goes in no form', () => {
  it.each([
    [docx, 'unsupported'],
    ['application/zip', 'unsupported'],
    ['image/svg+xml', 'unsupported'],
    ['application/octet-stream', 'unsupported'],
    ['video/mp4', 'video'],
    ['audio/flac', 'audio'],
  ] as const)('%s is read by the own tools of a program that has some [BX-19 SR-29]', (mimeType, kind) => {
    const { decision, item } = planOne({ capability: armed, attachments: [fileOf(mimeType, kind)] });
    expect(decision).toBe('deliver');
    expect(item).toMatchObject({ becomes: 'tool', reason: expect.stringContaining('attachment_file') });
    expect(item?.checks.model).toBe(kind === 'unsupported' ? 'unknown' : armed[kind].model);
  });

  it.each([
    ['whose profile denies it tools', denied, '"permissionMode": "gated"'],
    ['of which nothing is known', capabilityOf('some-agent', true, seeing), 'choose an agent whose program may read'],
  ])('is refused for an agent %s, with what a person can do [BX-19 DL-12]', (_, capability: Capability, advice) => {
    for (const file of [fileOf(docx, 'unsupported'), fileOf('video/mp4', 'video')]) {
      const { decision, failure } = planOne({ capability, attachments: [file] });
      expect(decision).toBe('blocked');
      expect(failure?.userMessage).toContain(advice);
    }
  });

  it('is refused where not even its marker has room, and says that', () => {
    const small = { ...armed, maxLineBytes: 2048 };
    expect(planOne({ capability: small, attachments: [fileOf(docx, 'unsupported')] }).failure?.code).toBe(
      'attachment_serialized_payload_too_large',
    );
  });

  it('and was not found sound goes by no tool', () => {
    const pending = { ...fileOf(docx, 'unsupported'), status: 'pending' as const };
    expect(planOne({ capability: armed, attachments: [pending] }).failure?.code).toBe('attachment_pending');
  });
});

describe('a picture that cannot be sent', () => {
  it('and moves is left to tools that get its file, never to a view, which shows a still [DL-70 BX-19]', () => {
    const { item } = planOne({ capability: armed, attachments: [gif] });
    expect(item).toMatchObject({
      becomes: 'tool',
      reason: expect.stringContaining('attachment_file'),
      warnings: [{ code: 'animated_gif_not_supported', severity: 'warning' }],
    });
    expect(planOne({ capability: denied, attachments: [gif] })).toMatchObject({
      decision: 'blocked',
      failure: { code: 'attachment_unsupported_mime' },
    });
  });

  it('stays refused where its model is not known to take pictures: a program that reads one shows it to its model [SR-20 DL-66 BX-01]', () => {
    expect(planOne({ capability: blind, attachments: [givenAttachment(1)] })).toMatchObject({
      decision: 'blocked',
      failure: { code: 'attachment_model_vision_unsupported' },
    });
    const unknown = capabilityOf('reader', true);
    expect(planOne({ capability: unknown, attachments: [givenAttachment(1)] })).toMatchObject({
      decision: 'blocked',
      failure: { code: 'attachment_model_vision_unknown' },
    });
  });
});

it('what would have to be converted is refused where the session allows no conversions: tools convert too [DL-50]', () => {
  const wide = givenAttachment(1, { facts: { width: 9000, height: 600, hasAlpha: false } });
  for (const attachment of [wide, givenText(1, { facts: { encoding: 'koi8-r' } })])
    expect(planOne({ capability: armed, conversions: 'deny', attachments: [attachment] }).failure?.code).toBe(
      'attachment_conversion_denied',
    );
  expect(
    planOne({ capability: armed, conversions: 'deny', attachments: [fileOf(docx, 'unsupported')] }).item,
  ).toMatchObject({
    becomes: 'tool',
  });
});

it('of a picture that a model does not take every other gate that blocks is told, too [SR-20 DL-63]', () => {
  const wide = givenAttachment(1, { facts: { width: 9000, height: 600, hasAlpha: false } });
  const capability: Capability = { ...armed, image: { ...armed.image, model: 'no' } };
  const { failures } = planDelivery(givenRequest({ capability, conversions: 'deny', attachments: [wide] }));
  expect(failures.map(({ code }) => code)).toEqual([
    'attachment_model_vision_unsupported',
    'attachment_conversion_denied',
  ]);
});

it('what fits goes as before: tools come last', () => {
  const { items } = planDelivery(
    givenRequest({ capability: armed, attachments: [givenAttachment(1), givenText(2), givenPdf(3)] }),
  );
  expect(items.map(({ becomes }) => becomes)).toEqual(['native', 'text', 'native']);
  expect(planOne({ target: givenTarget('example-text'), attachments: [givenAttachment(1)] }).decision).toBe('blocked');
});
