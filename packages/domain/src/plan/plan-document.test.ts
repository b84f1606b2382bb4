import type { Capability } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import { type Given, givenAttachment, givenPdf, givenRequest, givenTarget } from './__fixtures__/plan-fixtures.ts';
import { planDelivery } from './plan-delivery.ts';
import { base64Bytes } from './room/transport-size.ts';

const plan = (given: Given) => planDelivery(givenRequest(given));
const planOne = (given: Given) => {
  const { items, failures, ...rest } = plan(given);
  return { item: items[0], failure: failures[0], ...rest };
};
const capabilityOf = (model: string): Capability => givenRequest({ target: givenTarget(model) }).capability;
const vision = capabilityOf('example-vision');
const omni = capabilityOf('example-omni');
const textual = capabilityOf('example-text');

describe('a PDF', () => {
  it('goes as it is to a model that takes it [RP-07 SR-04]', () => {
    const { item, decision } = planOne({ capability: omni, attachments: [givenPdf(1)] });
    expect(decision).toBe('deliver');
    expect(item).toMatchObject({ becomes: 'native', warnings: [] });
    expect(item?.recipe).toBeUndefined();
  });

  it('becomes page images for a model that takes only images, and says why [BX-19 DL-56 DL-50]', () => {
    const { item, budget } = planOne({ capability: vision, attachments: [givenPdf(1, { facts: { pages: 12 } })] });
    expect(item).toMatchObject({
      becomes: 'pages',
      recipe: { purpose: 'page-images', pages: 12, mimeType: 'image/jpeg', maxEdgePixels: 1568 },
      reason: expect.stringContaining('12 pages as images'),
      warnings: [{ code: 'model_does_not_support_documents' }, { code: 'pages_rendered' }],
    });
    expect(budget.images).toEqual({ used: 12, limit: 20, resident: 0 });
  });

  it('becomes its text for a model that takes only text, and what is lost is said [BX-19 SR-20 DL-17]', () => {
    const { item } = planOne({
      capability: textual,
      attachments: [givenPdf(1, { facts: { pages: 2, textBytes: 900 } })],
    });
    expect(item).toMatchObject({
      becomes: 'text',
      recipe: { purpose: 'document-text', maxBytes: 900 },
      warnings: [
        { code: 'text_extracted', severity: 'warning' },
        { code: 'model_does_not_support_documents' },
        { code: 'model_does_not_support_images' },
      ],
    });
  });

  it('with more pages than the target has room for images becomes text [BX-01 BX-19]', () => {
    const long = givenPdf(1, { facts: { pages: 120, textBytes: 200_000 } });
    const { item } = planOne({ capability: vision, attachments: [long] });
    expect(item).toMatchObject({
      becomes: 'text',
      warnings: expect.arrayContaining([expect.objectContaining({ code: 'attachment_too_large' })]),
    });
    // Images of the message and of the history count too.
    const short = givenPdf(2, { facts: { pages: 12, textBytes: 9000 } });
    const images = Array.from({ length: 9 }, (_, index) => givenAttachment(10 + index));
    expect(plan({ capability: vision, attachments: [short, ...images] }).items[0]?.becomes).toBe('text');
    expect(plan({ capability: vision, attachments: [short], resident: { images: 9 } }).items[0]?.becomes).toBe('text');
    expect(plan({ capability: vision, attachments: [short, ...images.slice(1)] }).items[0]?.becomes).toBe('pages');
  });

  it('that is a scan is refused where its pages would be too small to read, with a figure that is one [DL-12]', () => {
    const scan = givenPdf(1, { facts: { pages: 2, textBytes: 0 } });
    const image = { ...vision.image, carriage: 'file' as const, maxInlineBytes: 10_000 };
    const { maxRequestBytes: _none, ...unlimited } = vision;
    const { failure } = planOne({ capability: { ...unlimited, image }, attachments: [scan] });
    expect(failure).toMatchObject({
      code: 'attachment_too_large_optimized',
      safeDetails: { neededBytes: 48 * 1024, limitBytes: 10_000 },
    });
  });

  it('that is a scan has no text to send: it needs eyes [SR-20 DL-12]', () => {
    const scan = givenPdf(1, { facts: { pages: 2, textBytes: 0 } });
    const { failure, decision } = planOne({ capability: textual, attachments: [scan] });
    expect(decision).toBe('blocked');
    expect(failure?.code).toBe('attachment_model_unsupported');
    const { failure: tooLong } = planOne({
      capability: vision,
      attachments: [{ ...scan, facts: { pages: 21, textBytes: 0 } }],
    });
    expect(tooLong).toMatchObject({
      code: 'attachment_serialized_payload_too_large',
      userMessage: expect.stringContaining('21 pages'),
    });
  });

  it('too large as it is becomes pages [BX-01]', () => {
    const heavy = givenPdf(1, { sizeBytes: 21 * 1024 * 1024, facts: { pages: 3, textBytes: 10 } });
    expect(planOne({ capability: omni, attachments: [heavy] }).item).toMatchObject({
      becomes: 'pages',
      warnings: [{ code: 'attachment_too_large' }, { code: 'pages_rendered' }],
    });
    const limited = { ...omni, document: { ...omni.document, maxPages: 2 } };
    expect(planOne({ capability: limited, attachments: [givenPdf(1, { facts: { pages: 3 } })] }).item?.becomes).toBe(
      'pages',
    );
    expect(planOne({ capability: limited, attachments: [givenPdf(1, { facts: {} })] }).decision).toBe('blocked');
  });

  it('is not converted in a session that denies it, and the refusal says so [DL-50]', () => {
    const { failure, item } = planOne({ capability: vision, conversions: 'deny', attachments: [givenPdf(1)] });
    expect(item?.becomes).toBe('blocked');
    expect(failure?.code).toBe('attachment_conversion_denied');
  });

  it('to a model of which nothing is known goes as text; with an override as it is [DL-66 DL-50]', () => {
    const unknown = {
      ...omni,
      image: { ...omni.image, model: 'unknown' as const },
      document: { ...omni.document, model: 'unknown' as const },
    };
    expect(planOne({ capability: unknown, attachments: [givenPdf(1)] }).item?.becomes).toBe('text');
    expect(planOne({ capability: unknown, attachments: [givenPdf(1)], isUnknownOverridden: true }).item).toMatchObject({
      becomes: 'native',
      checks: { model: 'unknown' },
      warnings: [{ code: 'unknown_runtime_capability' }],
    });
    const scan = givenPdf(1, { facts: { pages: 1, textBytes: 0 } });
    expect(planOne({ capability: unknown, attachments: [scan] }).failure?.code).toBe('attachment_model_unknown');
  });

  it('shares the line with images, a page never less than can be read [DL-72 DL-71]', () => {
    const attachments = [
      givenPdf(1, { facts: { pages: 10, textBytes: 500 } }),
      givenAttachment(2, { sizeBytes: 2_000_000 }),
    ];
    const { items, budget } = plan({ capability: { ...vision, maxLineBytes: 3_000_000 }, attachments });
    expect(items.map(({ becomes }) => becomes)).toEqual(['pages', 'variant']);
    expect(budget.lineBytes?.used).toBeLessThanOrEqual(3_000_000);
    const recipe = items[0]?.recipe;
    expect(recipe?.purpose === 'page-images' ? recipe.maxBytes : 0).toBeGreaterThan(48 * 1024);
    const tight = plan({ capability: { ...vision, maxLineBytes: 10 * base64Bytes(48 * 1024) }, attachments });
    expect(tight.items[0]?.becomes).toBe('text');
  });
});

describe('what can be sent in no form', () => {
  it('is left to the tools of an agent that has them, where they can show it to its model [BX-19 DL-56]', () => {
    const armed = { ...vision, tools: 'yes' as const };
    const book = givenPdf(1, { facts: { pages: 5_000 } });
    expect(planOne({ capability: vision, attachments: [book] }).decision).toBe('blocked');
    expect(planOne({ capability: armed, attachments: [book] }).item).toMatchObject({
      becomes: 'tool',
      reason: expect.stringContaining('tools'),
    });
    const rejected = givenAttachment(4, { status: 'rejected' });
    expect(planOne({ capability: armed, attachments: [rejected] }).decision).toBe('blocked');
  });

  it('is blocked where no tool could show it either: nothing is implied that the model does not take [DL-06 DL-66 SR-20]', () => {
    const zip = givenAttachment(1, { mimeType: 'application/zip', kind: 'unsupported', facts: {} });
    const armed = { ...textual, tools: 'yes' as const };
    for (const attachment of [zip, givenAttachment(2)])
      expect(planOne({ capability: armed, attachments: [attachment] }).decision).toBe('blocked');
    expect(planOne({ capability: armed, attachments: [givenPdf(3)] }).item?.becomes).toBe('text');
  });

  it('is of a type that the model does not list [RP-07 DL-12]', () => {
    const flac = givenAttachment(1, { mimeType: 'audio/flac', kind: 'audio', facts: {} });
    const { failure } = planOne({ capability: omni, attachments: [flac] });
    expect(failure).toMatchObject({
      code: 'attachment_unsupported_mime',
      userMessage: expect.stringContaining('audio/wav or audio/mpeg'),
    });
    // A model that takes MP3 takes no other layer of MPEG audio.
    const layer2 = planOne({ capability: omni, attachments: [{ ...flac, mimeType: 'audio/mp2' }] });
    expect(layer2.failure?.code).toBe('attachment_unsupported_mime');
    const wav = { ...flac, mimeType: 'audio/wav' };
    expect(planOne({ capability: omni, attachments: [wav] }).item?.becomes).toBe('native');
    expect(planOne({ capability: omni, attachments: [{ ...wav, sizeBytes: 30_000_000 }] }).failure?.code).toBe(
      'attachment_too_large_original',
    );
  });
});

describe('a runtime that is given paths', () => {
  it('has images in the request, not on its line [BX-01]', () => {
    const capability = {
      ...vision,
      image: { ...vision.image, carriage: 'file' as const },
      maxLineBytes: 10_000,
      maxRequestBytes: 1_000_000,
    };
    const { items, budget } = plan({ capability, attachments: [givenAttachment(1, { sizeBytes: 500_000 })] });
    expect(items[0]?.becomes).toBe('native');
    expect(budget.lineBytes?.used).toBeLessThan(10_000);
    expect(budget.bytes?.used).toBeGreaterThan(600_000);
  });
});
