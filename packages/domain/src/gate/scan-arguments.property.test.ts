import { idFromUuid } from '@attache/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createDraw, drawEscapedText } from './__fixtures__/draw-escaped-text.ts';
import { scanAtOnce } from './__fixtures__/scan-at-once.ts';
import { scanLayerByLayer } from './__fixtures__/scan-layer-by-layer.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const hexOf = (letter: string, digits: number) => letter.charCodeAt(0).toString(16).padStart(digits, '0');

const spelling = fc.uuid({ version: 4 }).map((uuid): string => idFromUuid('attachment', uuid));

/** Encodes some letters, and always the one that begins an escape. */
const encodeSome = (introducer: string, encode: (letter: string) => string) =>
  fc.array(fc.boolean(), { minLength: 1, maxLength: 40 }).map((pattern) => (text: string) => {
    return Array.from(text, (letter, index) => {
      const isEncoded = letter === introducer || (pattern[index % pattern.length] && letter < '\u0080');
      return isEncoded ? encode(letter) : letter;
    }).join('');
  });
const word = fc.string({ unit: 'grapheme', maxLength: 12 });

/** Ways to write a text inside another, so that decoding returns it. */
const textLayer = fc.oneof(
  fc.tuple(word, word).map(
    ([before, after]) =>
      (text: string) =>
        `${before} ${text} ${after}`,
  ),
  fc.constant((text: string) => `https://example.org/a/b?c=d&e=${encodeURIComponent(text)}&f=g#h`),
  encodeSome('%', (letter) => `%${hexOf(letter, 2)}`),
  encodeSome('\\', (letter) => `\\u${hexOf(letter, 4)}`),
  word.map((key) => (text: string) => JSON.stringify({ [key]: [text] })),
  fc.constant((text: string) => JSON.stringify({ [text]: 1 })),
);
/** Ways to put a value inside another. */
const valueLayer = fc.oneof(
  fc.array(fc.jsonValue(), { maxLength: 3 }).map((others) => (value: unknown) => [...others, value]),
  fc.tuple(word, fc.jsonValue()).map(([key, other]) => (value: unknown) => ({ other, [key]: value })),
);
const plantedCall = fc
  .record({
    id: spelling,
    texts: fc.array(textLayer, { maxLength: 3 }),
    isKey: fc.boolean(),
    values: fc.array(valueLayer, { maxLength: 8 }),
  })
  .map(({ id, texts, isKey, values }) => {
    const text = texts.reduce((inner, wrap) => wrap(inner), id);
    const innermost: unknown = isKey ? { [text]: null } : text;
    return { id, call: values.reduce((inner, wrap) => wrap(inner), innermost) };
  });

describe('the scan of any tool call', () => {
  it('finds an id that was planted anywhere, however it is encoded [AT-30 BX-08 S2 S22]', () => {
    fc.assert(
      fc.property(plantedCall, ({ id, call }) => {
        const outcome = scanAtOnce(call);
        expect(outcome.status === 'scanned' && outcome.candidates).toContain(id);
      }),
      { numRuns: isShort ? 100 : 500 },
    );
  });

  it('comes to an end for any JSON, and sees nothing where nothing is', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), (call) => {
        expect(scanAtOnce(call)).toEqual({ status: 'scanned', candidates: [] });
      }),
      { numRuns: isShort ? 60 : 300 },
    );
  });

  it('comes to an end for any text of escapes', () => {
    const pieces = fc.constantFrom('%', '\\', 'u', '0', '2', '5', '6', '61', '%25', '\\u00', '\\\\', 'att_', 'A', '"');
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 200 }), (texts) => {
        expect(scanAtOnce(texts.join('')).status).toBe('scanned');
      }),
      { numRuns: isShort ? 60 : 300 },
    );
  });
});

describe('the scan beside one that decodes layer by layer', () => {
  const draw = createDraw(20_261_122);
  const scans = Array.from({ length: 24_000 }, () => {
    const text = drawEscapedText(draw, 300);
    const outcome = scanAtOnce(text);
    const found = new Set(outcome.status === 'scanned' ? outcome.candidates : []);
    return { text, status: outcome.status, found, shown: scanLayerByLayer(text) };
  });

  it('finds every candidate that any layer shows, in whichever order escapes are decoded [AT-30 S2]', () => {
    expect(scans.filter(({ shown }) => shown.size > 0).length).toBeGreaterThan(10_000);
    expect(scans.filter(({ shown, found }) => !shown.isSubsetOf(found))).toEqual([]);
  });

  it('is above no limit by so short a text, and seldom finds what no layer shows', () => {
    expect(scans.filter(({ status }) => status !== 'scanned')).toEqual([]);
    expect(scans.filter(({ shown, found }) => !found.isSubsetOf(shown)).length).toBeLessThan(scans.length / 50);
  });
});
