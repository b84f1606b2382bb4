import type { Attachment, KindCapability } from '@attache/contracts';
import { describe, expect, it } from 'vitest';
import type { ViewForms } from '../agent-tool.ts';
import type { ViewInput } from '../tool-inputs.ts';
import { chooseView } from './choose-view.ts';

const attachment = (changes: Partial<Attachment>): Attachment => ({
  id: 'att_AAAAAAAAAAAAAAAAAAAAAA',
  sessionId: 'ses_AAAAAAAAAAAAAAAAAAAAAA',
  name: 'file',
  mimeType: 'image/png',
  kind: 'image',
  size: 1_000,
  sizeBytes: 1_000,
  sha256: 'a'.repeat(64),
  origin: 'upload',
  status: 'ready',
  facts: { width: 800, height: 600, hasAlpha: false },
  variants: [],
  warnings: [],
  createdAt: '2026-11-21T00:00:00.000Z',
  schemaVersion: 1,
  ...changes,
});
const pdf = attachment({ kind: 'document', mimeType: 'application/pdf', facts: { pages: 3, textBytes: 900 } });
const text = attachment({ kind: 'text', mimeType: 'text/plain', facts: { encoding: 'utf-16le' } });
const image: KindCapability = {
  ...{ transport: 'yes', model: 'yes', maxInlineBytes: 3_538_944, maxEdgePixels: 8_000 },
  mimeTypes: ['image/png', 'image/jpeg', 'image/webp', 'image/gif'],
};
const all: ViewForms = { image };
const none: ViewForms = { image: undefined };

const choose = (of: Attachment, input: Partial<ViewInput> = {}, forms = all) =>
  chooseView(of, { attachmentId: of.id, ...input }, forms);

describe('what an agent is shown', () => {
  it('is the original of an image that every agent forwards as it is [SR-06]', () => {
    expect(choose(attachment({}))).toEqual({ form: 'original', view: {} });
    expect(choose(attachment({}), { size: { maxEdgePixels: 800 } }).form).toBe('original');
  });

  const large = { width: 4_000, height: 4_000, hasAlpha: false };
  it.each([
    ['more pixels a side', { facts: { ...large, height: 10 } }, 'image/png', 2_000],
    ['more bytes', { sizeBytes: 3_500_001 }, 'image/png', 800],
    ['a type that models do not know', { mimeType: 'image/tiff' }, 'image/png', 800],
    ['a size that is not known', { facts: {} }, 'image/png', 2_000],
    ['photos of HEIC', { mimeType: 'image/heic' }, 'image/jpeg', 800],
    ['more pixels than a PNG can hold', { mimeType: 'image/avif', facts: large }, 'image/jpeg', 2_000],
    ['transparency', { mimeType: 'image/avif', facts: { ...large, hasAlpha: true } }, 'image/png', 2_000],
  ])('is a form that fits, of an image with %s', (_, changes, mimeType, maxEdgePixels) => {
    const chosen = choose(attachment(changes));
    expect(chosen).toMatchObject({ form: 'image', recipe: { mimeType, maxEdgePixels }, view: {} });
    expect(chosen.form === 'image' && chosen.recipe.maxBytes).toBeLessThanOrEqual(3_500_000);
  });

  it('is what a plan would make of it: a type, a size or a movement that the target does not take is never shown [BX-19 DL-70]', () => {
    const gif = attachment({ mimeType: 'image/gif' });
    const ofGemini = { image: { ...image, mimeTypes: ['image/png', 'image/jpeg', 'image/webp'] } };
    expect(choose(gif).form).toBe('original');
    expect(choose(gif, {}, ofGemini)).toMatchObject({ form: 'image', recipe: { mimeType: 'image/png' } });
    const moving = attachment({ mimeType: 'image/gif', facts: { ...gif.facts, animated: true, frames: 9 } });
    expect(choose(moving)).toMatchObject({ form: 'image', isStill: true, recipe: { mimeType: 'image/png' } });
    expect(choose(moving, {}, { image: { ...image, animated: 'yes' } }).form).toBe('original');
    const narrow = { image: { ...image, maxInlineBytes: 500_000, maxEdgePixels: 700 } };
    const bounded = { recipe: { maxEdgePixels: 700, maxBytes: 500_000 } };
    expect(choose(attachment({ sizeBytes: 600_000, facts: large }), {}, narrow)).toMatchObject(bounded);
    expect(choose(pdf, {}, narrow)).toMatchObject(bounded);
    const byPixels = { image: { ...image, maxPixels: 90_000 } };
    expect(choose(pdf, {}, byPixels)).toMatchObject({ recipe: { maxEdgePixels: 300 } });
    expect(choose(attachment({}), {}, { image: { ...image, mimeTypes: [] } }).form).toBe('none');
  });

  it('is the part of an image that was asked for, of the original and not of what was sent before [BX-13]', () => {
    const crop = { x: 700, y: 500, width: 100, height: 100 };
    expect(choose(attachment({}), { crop })).toMatchObject({ form: 'image', recipe: { crop }, view: { crop } });
    const beyond = { ...crop, width: 101 };
    expect(() => choose(attachment({}), { crop: beyond })).toThrow(/does not lie within the image, which has 800×600/);
  });

  it('is a page of a PDF, the first where none was named', () => {
    expect(choose(pdf)).toMatchObject({ form: 'image', recipe: { purpose: 'page-image', page: 1 }, view: { page: 1 } });
    expect(choose(pdf, { page: 3, size: { maxEdgePixels: 500 } })).toMatchObject({
      recipe: { page: 3, maxEdgePixels: 500 },
      view: { page: 3, maxEdgePixels: 500 },
    });
    expect(() => choose(pdf, { page: 4 })).toThrow('There is no page 4: the document has 3.');
  });

  it('is text of a PDF where text was asked for, or where the agent takes no images', () => {
    const textRange = { offset: 5, length: 10 };
    expect(choose(pdf, { textRange })).toMatchObject({ recipe: { purpose: 'document-text' }, range: textRange });
    expect(choose(pdf, { page: 2 }, none)).toMatchObject({ form: 'text', page: 2, view: { page: 2 } });
    const scan = { ...pdf, facts: { pages: 1, textBytes: 0 } };
    expect(choose(scan, { textRange })).toMatchObject({ form: 'none', reason: expect.stringContaining('its pages') });
    expect(choose(scan, {}, none)).toMatchObject({ form: 'none' });
  });

  it('is the text of a text, in its encoding', () => {
    expect(choose(text)).toMatchObject({
      form: 'text',
      recipe: { purpose: 'decoded-text', encoding: 'utf-16le' },
      range: { offset: 0, length: 20_000 },
      view: {},
    });
  });

  it('is nothing but words, of what no tool can show and for who takes no images', () => {
    for (const kind of ['audio', 'video', 'unsupported'] as const)
      expect(choose(attachment({ kind, mimeType: 'x/y' }))).toMatchObject({ reason: expect.stringContaining('x/y') });
    expect(choose(attachment({}), {}, none)).toMatchObject({ form: 'none' });
  });

  it.each([
    [attachment({}), { page: 1 }],
    [attachment({}), { textRange: { offset: 0, length: 1 } }],
    [pdf, { crop: { x: 0, y: 0, width: 1, height: 1 } }],
    [pdf, { page: 1, textRange: { offset: 0, length: 1 } }],
    [text, { page: 1 }],
    [text, { crop: { x: 0, y: 0, width: 1, height: 1 } }],
    [text, { size: { maxEdgePixels: 100 } }],
  ])('is never something else than was asked for: what a kind does not have is refused', (of, input) => {
    expect(() => choose(of, input)).toThrow(/Leave out \w+\.$/);
  });
});
