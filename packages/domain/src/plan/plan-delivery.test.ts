import { describe, expect, it } from 'vitest';
import { type Given, givenAttachment, givenRequest, givenTarget, givenText } from './__fixtures__/plan-fixtures.ts';
import { planDelivery } from './plan-delivery.ts';

const plan = (given: Given) => planDelivery(givenRequest(given));
const planOne = (given: Given) => {
  const { items, failures, ...rest } = plan(given);
  return { item: items[0], failure: failures[0], ...rest };
};
const allYes = { decode: 'yes', budget: 'yes', transport: 'yes', model: 'yes', prepare: 'yes' };
const vision = givenRequest().capability;

describe('a message without attachments', () => {
  it('is delivered, whatever the target takes [DL-83]', () => {
    expect(plan({ target: givenTarget('unheard-of', 'nobody') })).toMatchObject({
      decision: 'deliver',
      items: [],
      failures: [],
    });
    expect(plan({ text: 'x'.repeat(10_000), lineBytes: 1024 }).decision).toBe('deliver');
  });
});

describe('images', () => {
  it('go as they are where they fit [SR-04 DL-63]', () => {
    const { item, decision } = planOne({ attachments: [givenAttachment(1)] });
    expect(decision).toBe('deliver');
    expect(item).toEqual({
      attachmentId: givenAttachment(1).id,
      becomes: 'native',
      checks: allYes,
      reason: expect.stringContaining('as it is'),
      warnings: [],
    });
  });

  it.each([
    ['a TIFF becomes PNG', { mimeType: 'image/tiff' }, 'image/png', ['format_converted']],
    [
      'an AVIF photo with alpha stays PNG',
      { mimeType: 'image/avif', facts: { width: 7000, height: 7000, hasAlpha: true } },
      'image/png',
      ['format_converted'],
    ],
    [
      'a large AVIF photo without alpha becomes JPEG',
      { mimeType: 'image/avif', facts: { width: 7000, height: 7000, hasAlpha: false } },
      'image/jpeg',
      ['format_converted'],
    ],
    [
      'a wide PNG is reduced and stays PNG',
      { facts: { width: 9000, height: 10, hasAlpha: false } },
      'image/png',
      ['image_resized'],
    ],
    [
      'a wide JPEG is reduced and stays JPEG',
      { mimeType: 'image/jpeg', facts: { width: 9000, height: 10 } },
      'image/jpeg',
      ['image_resized'],
    ],
    [
      'a heavy PNG without alpha becomes JPEG',
      { sizeBytes: 21 * 1024 * 1024, facts: { width: 4000, height: 4000, hasAlpha: false } },
      'image/jpeg',
      ['image_resized', 'format_converted'],
    ],
    [
      'a heavy PNG with alpha stays PNG',
      { sizeBytes: 21 * 1024 * 1024, facts: { width: 4000, height: 4000, hasAlpha: true } },
      'image/png',
      ['image_resized'],
    ],
    [
      'a heavy PNG of which alpha is not known stays PNG',
      { sizeBytes: 21 * 1024 * 1024, facts: { width: 4000, height: 4000 } },
      'image/png',
      ['image_resized'],
    ],
    [
      'a HEIC photo becomes JPEG',
      { mimeType: 'image/heic', facts: { width: 4000, height: 3000, hasAlpha: false } },
      'image/jpeg',
      ['format_converted'],
    ],
    [
      'a HEIC picture with alpha becomes PNG',
      { mimeType: 'image/heif', facts: { width: 400, height: 300, hasAlpha: true } },
      'image/png',
      ['format_converted'],
    ],
    ['an image of unknown size is not taken for small', { facts: {} }, 'image/png', []],
  ])('%s [DL-70 DL-71 DL-85]', (_, facts, mimeType, warnings) => {
    const { item, decision } = planOne({ attachments: [givenAttachment(1, facts)] });
    expect(decision).toBe('deliver');
    expect(item).toMatchObject({ becomes: 'variant', checks: allYes, recipe: { purpose: 'inline-image', mimeType } });
    expect(item?.warnings.map(({ code }) => code)).toEqual(warnings);
    expect(item?.reason).toContain(
      mimeType === 'image/png' ? 'without loss' : 'in quality 85, down to 60 where it must',
    );
  });

  it('never asks for more pixels than the source has or the target takes [DL-85]', () => {
    const edge = (facts: object) =>
      planOne({ attachments: [givenAttachment(1, { mimeType: 'image/tiff', facts })] }).item?.recipe;
    expect(edge({ width: 300, height: 200 })).toMatchObject({ maxEdgePixels: 300 });
    expect(edge({ width: 9000, height: 200 })).toMatchObject({ maxEdgePixels: 8000 });
    expect(edge({})).toMatchObject({ maxEdgePixels: 2000 });
  });

  it('that move go as they are or not at all: a still of them was not sent [DL-70 DL-17]', () => {
    const gif = { mimeType: 'image/gif', facts: { width: 100, height: 100, animated: true, hasAlpha: false } };
    expect(planOne({ attachments: [givenAttachment(1, gif)] }).item).toMatchObject({ becomes: 'native', warnings: [] });
    const refused = {
      becomes: 'blocked',
      warnings: [{ code: 'animated_gif_not_supported', severity: 'error' }],
      reason: expect.stringMatching(/moving image.*Send the frames/),
    };
    const heavy = givenAttachment(1, { ...gif, sizeBytes: 21 * 1024 * 1024 });
    expect(planOne({ attachments: [heavy] }).item).toMatchObject(refused);
    const still = { ...vision, image: { ...vision.image, animated: 'no' as const } };
    const { item, failure } = planOne({ capability: still, attachments: [givenAttachment(1, gif)] });
    expect(item).toMatchObject(refused);
    expect(failure?.code).toBe('attachment_unsupported_mime');
  });

  it('share the line so that the whole message fits: originals stay while there is room [DL-72 BX-01]', () => {
    const attachments = [
      givenAttachment(1, { sizeBytes: 10_000_000 }),
      givenAttachment(2),
      givenAttachment(3, { sizeBytes: 10_000_000, facts: { width: 4000, height: 3000, hasAlpha: false } }),
    ];
    const { items, budget, decision } = plan({ attachments, lineBytes: 16_000_000 });
    expect(decision).toBe('deliver');
    expect(items.map(({ becomes }) => becomes)).toEqual(['native', 'native', 'variant']);
    expect(budget.lineBytes).toMatchObject({ limit: 16_000_000, resident: 0 });
    expect(budget.lineBytes?.used).toBeLessThanOrEqual(16_000_000);
  });

  it('are refused by name when even reduced they do not fit [DL-40 DL-72]', () => {
    const big = (number: number) =>
      givenAttachment(number, { sizeBytes: 5_000_000, facts: { width: 4000, height: 3000 } });
    const { failures, decision } = plan({ attachments: [big(1), big(2), big(3)], lineBytes: 50_000 });
    expect(decision).toBe('blocked');
    expect(failures.map(({ code, attachmentId }) => [code, attachmentId])).toEqual(
      [1, 2, 3].map((n) => ['attachment_serialized_payload_too_large', big(n).id]),
    );
  });

  it('are refused when the target takes next to nothing [DL-37]', () => {
    const capability = { ...vision, image: { ...vision.image, maxInlineBytes: 1000 } };
    expect(planOne({ capability, attachments: [givenAttachment(1)] }).failure?.code).toBe(
      'attachment_too_large_optimized',
    );
  });

  it('are counted, with those that the agent already holds [BX-01 SR-05]', () => {
    const attachments = [1, 2, 3].map((number) => givenAttachment(number));
    const { failures, items, budget } = plan({ attachments, resident: { images: 18 } });
    expect(failures.map(({ attachmentId }) => attachmentId)).toEqual([attachments[2]?.id]);
    expect(items[2]).toMatchObject({ becomes: 'blocked', checks: { decode: 'yes', budget: 'no' } });
    expect(budget.images).toEqual({ used: 3, limit: 20, resident: 18 });
  });

  it('count against the request that the model gets, history included [BX-01]', () => {
    const capability = { ...vision, maxRequestBytes: 1_000_000 };
    const attachments = [givenAttachment(1, { sizeBytes: 600_000 })];
    expect(planOne({ capability, attachments }).item?.becomes).toBe('native');
    expect(planOne({ capability, attachments, resident: { bytes: 500_000 } }).item?.becomes).toBe('variant');
    expect(planOne({ capability, attachments, resident: { bytes: 999_999 } }).decision).toBe('blocked');
  });

  it('go where old ones are set aside, however many the agent holds, unless the message alone has too many [BX-33]', () => {
    const attachments = [1, 2, 3].map((number) => givenAttachment(number));
    const resident = { images: 18, bytes: 900_000, imageBytes: 800_000 };
    const capability = { ...vision, maxRequestBytes: 1_000_000 };
    const fitting = plan({ attachments, resident, capability, setsAside: true });
    expect(fitting.decision).toBe('deliver');
    // The message leaves so much of the limit to what the agent holds.
    expect(fitting.budget.images).toEqual({ used: 3, limit: 20, resident: 17 });
    expect(fitting.budget.bytes?.limit).toBe((fitting.budget.bytes?.used ?? 0) + (fitting.budget.bytes?.resident ?? 0));
    expect(plan({ attachments, resident, capability }).decision).toBe('blocked');
    const many = Array.from({ length: 21 }, (_, index) => givenAttachment(index));
    const { failures } = plan({ attachments: many, resident, setsAside: true });
    expect(failures).toMatchObject([{ safeDetails: { maxCount: 20, resident: 0 } }]);
    expect(failures[0]?.userMessage).not.toMatch(/holds|set aside/);
  });

  it('are refused for what else of a history fills a request, though old ones are set aside [BX-01 BX-33]', () => {
    const capability = { ...vision, maxRequestBytes: 1_000_000 };
    const resident = { images: 1, bytes: 999_999, imageBytes: 100 };
    const { failure } = planOne({ capability, attachments: [givenAttachment(1)], resident, setsAside: true });
    expect(failure?.userMessage).toMatch(/already holds .*fit\. Send it to another agent/);
  });

  it('that a history without a relay leaves no room for name the ways that are left [BX-33]', () => {
    const { failure } = planOne({ attachments: [givenAttachment(1)], resident: { images: 20 } });
    expect(failure?.userMessage).toMatch(/no endpoint.*target again, which rebuilds it.*in a new session/);
  });

  it('that only the history has filled are refused as that, and not as too large a message [BX-01 DL-12]', () => {
    const capability = { ...vision, maxRequestBytes: 1_000_000 };
    const held = { bytes: 999_999 };
    const small = planOne({ capability, attachments: [givenText(1, { sizeBytes: 80 })], resident: held });
    expect(small.failure).toMatchObject({ code: 'attachment_serialized_payload_too_large' });
    expect(small.failure?.userMessage).toMatch(/already holds .* another agent, or in a new session/);
    const large = planOne({ capability, attachments: [givenText(1, { sizeBytes: 900_000 })], resident: held });
    expect(large.failure?.userMessage).toMatch(/shorter one, split it/);
  });

  it('that only the history has filled are told of as that beside what else blocks [BX-01 DL-12 DL-63]', () => {
    const blind = { ...vision, image: { ...vision.image, model: 'no' as const } };
    const { failures } = plan({ capability: blind, attachments: [givenAttachment(1)], resident: { images: 20 } });
    expect(failures.map(({ safeDetails }) => safeDetails?.gate)).toEqual(['budget', 'model']);
    expect(failures[0]?.userMessage).toMatch(/already holds .* another agent, or in a new session/);
    expect(failures[1]?.code).toBe('attachment_model_vision_unsupported');
  });
});

describe('the model', () => {
  it('that takes no images blocks them, and is named [DL-01 DL-09 DL-12 DL-42]', () => {
    const { item, failure, decision } = planOne({
      target: givenTarget('example-text'),
      attachments: [givenAttachment(1)],
    });
    expect(decision).toBe('blocked');
    expect(item).toMatchObject({
      becomes: 'blocked',
      checks: { decode: 'yes', budget: 'yes', transport: 'yes', model: 'no', prepare: 'unknown' },
    });
    expect(item?.reason).toBe(failure?.userMessage);
    expect(failure).toMatchObject({
      code: 'attachment_model_vision_unsupported',
      severity: 'error',
      attachmentId: givenAttachment(1).id,
      agentId: givenRequest().agentId,
      provider: 'example',
      model: 'example-text',
      retryable: false,
      userMessage: expect.stringMatching(/example-text does not take images.*(Choose|send)/),
    });
  });

  it('of which nothing is known blocks, whoever its provider is, until an override [DL-66 DL-06 DL-50]', () => {
    const given = { target: givenTarget('mystery-1'), attachments: [givenAttachment(1)] };
    const blocked = planOne(given);
    expect(blocked.item?.checks.model).toBe('unknown');
    expect(blocked.failure).toMatchObject({
      code: 'attachment_model_vision_unknown',
      model: 'mystery-1',
      retryable: false,
      userMessage: expect.stringContaining('mystery-1'),
    });
    const overridden = planOne({ ...given, isUnknownOverridden: true });
    expect(overridden.item).toMatchObject({
      becomes: 'native',
      checks: { model: 'unknown' },
      warnings: [{ code: 'unknown_runtime_capability' }],
    });
  });

  it('that is known not to take images stays blocked in spite of an override [DL-66]', () => {
    expect(
      planOne({ target: givenTarget('example-text'), attachments: [givenAttachment(1)], isUnknownOverridden: true })
        .decision,
    ).toBe('blocked');
  });

  it('is not reached by a runtime that carries no images [DL-35 DL-63]', () => {
    const capability = { ...vision, image: { ...vision.image, transport: 'no' as const } };
    const { failure, item } = planOne({ capability, attachments: [givenAttachment(1)] });
    expect(failure?.code).toBe('attachment_runtime_unsupported');
    expect(item?.checks).toMatchObject({ transport: 'no', model: 'yes' });
  });
});

describe('other kinds', () => {
  it.each([
    ['audio/wav', 'audio', 'attachment_model_unsupported'],
    ['video/mp4', 'video', 'attachment_runtime_unsupported'],
    ['application/zip', 'unsupported', 'attachment_type_unsupported'],
    ['image/svg+xml', 'unsupported', 'attachment_type_unsupported'],
  ] as const)('%s is blocked with a way out [SR-14 DL-12 BX-19]', (mimeType, kind, code) => {
    const { failure, decision } = planOne({ attachments: [givenAttachment(1, { mimeType, kind, facts: {} })] });
    expect(decision).toBe('blocked');
    expect(failure).toMatchObject({ code, retryable: false, userMessage: expect.stringMatching(/\b[Ss]end\b/) });
  });

  it.each([
    ['image', 'attachment_model_vision_unsupported'],
    ['text', 'attachment_model_unsupported'],
  ] as const)('%s on a model without it has a code of its own [DL-37]', (kind, code) => {
    const capability = { ...vision, [kind]: { ...vision[kind], model: 'no' as const } };
    const attachment = kind === 'text' ? givenText(1) : givenAttachment(1);
    expect(planOne({ capability, attachments: [attachment] }).failure?.code).toBe(code);
  });
});

describe('text files', () => {
  it('in UTF-8 are sent as they are [RP-08]', () => {
    const { item } = planOne({ attachments: [givenText(1)] });
    expect(item).toEqual({
      attachmentId: givenText(1).id,
      becomes: 'text',
      checks: allYes,
      reason: 'Text goes into the message.',
      warnings: [],
    });
  });

  it.each([
    ['windows-1251', { encoding: 'windows-1251' }, 3000],
    ['UTF-16', { encoding: 'utf-16le' }, 1500],
    ['UTF-8 with a byte order mark', { encoding: 'utf-8', hasByteOrderMark: true }, 1000],
  ])('in %s are decoded, and the plan says so [RP-08 DL-50]', (_, facts, maxBytes) => {
    const { item } = planOne({ attachments: [givenText(1, { facts })] });
    expect(item).toMatchObject({
      becomes: 'text',
      recipe: { purpose: 'decoded-text', encoding: facts.encoding, maxBytes },
      warnings: [{ code: 'text_decoded' }],
    });
  });

  it('with bytes that are no text, or files in them, are written anew, and the plan says so [BX-29 DL-06]', () => {
    const textFaults = { replaced: 2, otherLines: 1, linesAs: 'windows-1252' };
    const damaged = planOne({ attachments: [givenText(1, { facts: { encoding: 'utf-8', textFaults } })] });
    expect(damaged.item).toMatchObject({
      recipe: { purpose: 'decoded-text', encoding: 'utf-8', linesAs: 'windows-1252', maxBytes: 3000 },
      warnings: [{ code: 'text_decoded' }],
    });
    const facts = { encoding: 'utf-8', hasByteOrderMark: false, inlineMedia: 2, textBytes: 300 };
    const notebook = planOne({ attachments: [givenText(1, { facts, sizeBytes: 90_000_000 })] });
    expect(notebook.item).toMatchObject({
      becomes: 'text',
      recipe: { purpose: 'decoded-text', encoding: 'utf-8', withoutMedia: true, maxBytes: 300 },
      warnings: [{ code: 'text_media_left_out' }],
    });
  });

  it('of an encoding that is in doubt say so in the plan [BX-29]', () => {
    const doubt = {
      code: 'encoding_uncertain',
      severity: 'warning',
      message: 'x',
      used: 'cp850',
      runnerUp: 'cp437',
    } as const;
    const { item } = planOne({ attachments: [givenText(1, { facts: { encoding: 'cp850' }, warnings: [doubt] })] });
    expect(item?.warnings).toContainEqual(doubt);
  });

  it('go to a model that takes no images [DL-56]', () => {
    expect(planOne({ target: givenTarget('example-text'), attachments: [givenText(1)] }).decision).toBe('deliver');
  });

  it('that may not fit the line are blocked, the first that fit are not [DL-62 DL-72]', () => {
    const attachments = [givenText(1, { sizeBytes: 10_000 }), givenText(2, { sizeBytes: 10_000 })];
    const { items, failures } = plan({ attachments, lineBytes: 100_000 });
    expect(items.map(({ becomes }) => becomes)).toEqual(['text', 'blocked']);
    expect(failures).toMatchObject([{ code: 'attachment_serialized_payload_too_large', retryable: false }]);
  });

  it('that are longer than the target takes are blocked [DL-40]', () => {
    const capability = { ...vision, text: { ...vision.text, maxInlineBytes: 500 } };
    expect(planOne({ capability, attachments: [givenText(1)] }).failure?.code).toBe('attachment_too_large_original');
  });
});

describe('gates', () => {
  it('block what is still inspected, to be tried again unedited [DL-42 DL-63]', () => {
    const { item, failure } = planOne({ attachments: [givenAttachment(1, { status: 'pending' })] });
    expect(item?.checks.decode).toBe('unknown');
    expect(failure).toMatchObject({ code: 'attachment_pending', retryable: true });
  });

  it('block what was rejected, and repeat why [DL-38 DL-12]', () => {
    const failure = {
      code: 'attachment_corrupt_image',
      severity: 'error',
      userMessage: 'The image is damaged.',
      diagnostic: '',
      retryable: false,
    } as const;
    const planned = planOne({ attachments: [givenAttachment(1, { status: 'rejected', failure })] });
    expect(planned.item?.checks.decode).toBe('no');
    expect(planned.failure).toMatchObject({
      code: 'attachment_rejected',
      retryable: false,
      userMessage: expect.stringContaining('The image is damaged.'),
      safeDetails: { gate: 'decode', rejectedAs: 'attachment_corrupt_image' },
    });
  });

  it('answer in their order: decode, budget, transport, model, prepare [DL-63]', () => {
    const none: typeof vision.image = { transport: 'no', model: 'no', mimeTypes: [], maxCount: 1 };
    const attachments = [givenAttachment(1), givenAttachment(2), givenAttachment(3, { status: 'pending' })];
    const gates = (image: typeof vision.image) =>
      plan({ capability: { ...vision, image }, attachments }).failures.map(({ safeDetails }) => safeDetails?.gate);
    const yes = { transport: 'yes', model: 'yes' } as const;
    expect(gates(none)).toEqual(['transport', 'model', 'transport', 'model', 'decode']);
    expect(gates({ ...none, transport: 'yes' })).toEqual(['model', 'model', 'decode']);
    expect(gates({ ...none, ...yes })).toEqual(['prepare', 'budget', 'prepare', 'decode']);
  });

  it('are all asked, and all that block are told, in their order, for one attachment [DL-63 DL-35 DL-20]', () => {
    const unknown: typeof vision.image = {
      ...{ transport: 'unknown', model: 'unknown', mimeTypes: ['image/png'], maxInlineBytes: 1000 },
    };
    const { failures, items } = plan({
      capability: { ...vision, image: unknown },
      attachments: [givenAttachment(1, { mimeType: 'image/tiff' })],
      conversions: 'deny',
    });
    expect(failures.map(({ code, safeDetails }) => [safeDetails?.gate, code])).toEqual([
      ['budget', 'attachment_too_large_optimized'],
      ['transport', 'attachment_runtime_unsupported'],
      ['model', 'attachment_model_vision_unknown'],
      ['prepare', 'attachment_conversion_denied'],
    ]);
    expect(items[0]?.checks).toEqual({
      ...{ decode: 'yes', budget: 'no', transport: 'unknown', model: 'unknown', prepare: 'no' },
    });
    expect(items[0]?.reason).toBe(failures.map(({ userMessage }) => userMessage).join(' '));
  });

  it('say of a moving image whether it is its movement or its size [DL-63 DL-70]', () => {
    const moving = givenAttachment(1, {
      mimeType: 'image/gif',
      sizeBytes: 900_000,
      facts: { width: 9, height: 9, animated: true },
    });
    const gatesOf = (animated: 'yes' | 'no', maxRequestBytes: number) => {
      const image: typeof vision.image = { ...vision.image, mimeTypes: ['image/png', 'image/gif'], animated };
      const { failures, items } = plan({ capability: { ...vision, image, maxRequestBytes }, attachments: [moving] });
      const warnings = items[0]?.warnings.map(({ code }) => code);
      return [failures.map(({ safeDetails }) => safeDetails?.gate), items[0]?.checks.budget, warnings];
    };
    expect(gatesOf('yes', 2_000_000)).toEqual([[], 'yes', []]);
    expect(gatesOf('yes', 500_000)).toEqual([['budget'], 'no', []]);
    expect(gatesOf('no', 500_000)).toEqual([['prepare'], 'yes', ['animated_gif_not_supported']]);
    // Not even the least picture has room.
    expect(gatesOf('no', 10_000)).toEqual([['budget', 'prepare'], 'no', ['animated_gif_not_supported']]);
  });

  it('of a document are those of the way that is nearest to open [DL-63 BX-19]', () => {
    const scan = givenAttachment(1, { kind: 'document', mimeType: 'application/pdf', facts: { pages: 2 } });
    const { failures } = plan({ target: givenTarget('example-text'), attachments: [scan] });
    expect(failures.map(({ safeDetails }) => safeDetails?.gate)).toEqual(['prepare']);
  });

  it('convert nothing in a session that denies it [DL-50]', () => {
    const attachments = [
      givenAttachment(1),
      givenAttachment(2, { mimeType: 'image/tiff' }),
      givenText(3, { facts: { encoding: 'koi8-r' } }),
    ];
    const { items, failures, decision } = plan({ attachments, conversions: 'deny' });
    expect(decision).toBe('blocked');
    expect(items.map(({ becomes }) => becomes)).toEqual(['native', 'blocked', 'blocked']);
    expect(failures.map(({ code }) => code)).toEqual(['attachment_conversion_denied', 'attachment_conversion_denied']);
    expect(items[1]?.checks).toEqual({ ...allYes, prepare: 'no' });
  });

  it('stop the whole message when one attachment is stopped [DL-21 DL-65]', () => {
    const { decision, items, failures } = plan({
      attachments: [givenText(1), givenAttachment(2, { kind: 'unsupported' })],
    });
    expect(decision).toBe('blocked');
    expect(items.map(({ becomes }) => becomes)).toEqual(['text', 'blocked']);
    expect(failures).toHaveLength(1);
  });

  it('say nothing of a name in a failure, since a failure may be logged [DL-68]', () => {
    const { failure } = planOne({
      target: givenTarget('example-text'),
      attachments: [givenAttachment(1, { name: 'canary.png' })],
    });
    expect(JSON.stringify(failure)).not.toContain('canary');
  });

  it('tell in their diagnostic gate, kind, type, size and runtime, and nothing of the content [DL-69 DL-41]', () => {
    const { failure } = planOne({ target: givenTarget('example-text'), attachments: [givenAttachment(1)] });
    expect(failure).toMatchObject({
      provider: 'example',
      model: 'example-text',
      diagnostic: 'model=no kind=image mimeType=image/png sizeBytes=100000 runtime=acp',
      safeDetails: { gate: 'model' },
    });
    expect(JSON.parse(JSON.stringify(failure))).toEqual(failure);
  });
});
