import { afterAll, describe, expect, it } from 'vitest';
import { buildPdf, buildPdfWithoutFont, type FontWithoutFile } from '../../../__fixtures__/pdfs.ts';
import { createTempFolder } from '../../../__fixtures__/temp-folder.ts';
import { withPdf } from '../open-pdf.ts';
import { chooseFonts, type FallbackFont } from './fallback-fonts.ts';

const folder = createTempFolder();
afterAll(folder.remove);
const SIZE = { width: 800, height: 120 };

/** Draws the first page: the fonts that would help, what is left out with them, how many pixels have ink, and the first and last column of them. */
async function draw(pdf: Buffer, fonts: readonly FallbackFont[] = []) {
  const path = folder.write('source', pdf);
  const found = await withPdf(
    path,
    (document) =>
      document.withPage(1, (page) => ({
        look: page.look(),
        pixels: page.draw(SIZE.width, SIZE.height).pixels,
      })) ?? { code: 'attachment_corrupt' as const, diagnostic: '' },
    fonts,
  );
  if ('code' in found) throw new Error(found.diagnostic);
  const inked = Array.from({ length: found.pixels.length / 3 }, (_, index) => index).filter(
    (index) => (found.pixels[index * 3] ?? 255) < 128,
  );
  const columns = inked.map((index) => index % SIZE.width);
  const { fonts: helping, lacks } = found.look;
  return { helping, lacks, ink: inked.length, to: Math.max(...columns) };
}

const lines: [way: FontWithoutFile, text: string, font: string][] = [
  ['differences', 'Номерполиса', 'Noto Sans'],
  ['differences', 'Κωδικόςχρήστη', 'Noto Sans'],
  ['identity', 'Номерполиса', 'Noto Sans'],
  ['identity', 'Κωδικόςχρήστη', 'Noto Sans'],
  ['identity', 'رقموثيقة', 'Noto Naskh Arabic'],
  ['identity', 'מספרפוליסה', 'Noto Sans Hebrew'],
  ['identity', '保険証券', 'Noto Sans JP'],
];

describe('text in a font that the document does not hold', () => {
  it.each(lines)('by %s is drawn from end to end: %s, in %s', async (way, text, name) => {
    const pdf = buildPdfWithoutFont(way, text);
    const before = await draw(pdf);
    expect(before).toMatchObject({ ink: 0, lacks: undefined });
    const fonts = before.helping;
    expect(fonts.map((font) => font.name)).toContain(name);
    const after = await draw(pdf, fonts);
    expect(after.helping).toEqual([]);
    // A letter has at least 40 dark pixels at this size.
    expect(after.ink).toBeGreaterThan(40 * [...text].length);
    const half = await draw(buildPdfWithoutFont(way, text.slice(0, text.length / 2)), fonts);
    expect(after.to).toBeGreaterThan(half.to);
  });

  it('of a character set of East Asia is drawn at once where its font is installed', async () => {
    const found = await draw(buildPdfWithoutFont('japanese', '保険証券番号'));
    expect(found).toMatchObject({ helping: [], lacks: undefined });
    expect(found.ink).toBeGreaterThan(240);
  });

  it('is not looked for where the text is invisible, as under a scan', async () => {
    const { helping } = await draw(buildPdfWithoutFont('identity', 'Номер', { isVisible: false }));
    expect(helping).toEqual([]);
  });

  it.each(['רקם', 'رقم'])('leaves English beside it drawn: %s', async (word) => {
    const pdf = buildPdfWithoutFont('identity', `${word} 48213 Policy`);
    const { helping: fonts, ink } = await draw(pdf);
    expect(fonts.map(({ hasAscii }) => hasAscii)).toEqual([true, false]);
    expect((await draw(pdf, fonts)).ink).toBeGreaterThan(ink + 40 * word.length);
    const english = await draw(buildPdf([['Plain text, 48213']]));
    expect((await draw(buildPdf([['Plain text, 48213']]), fonts)).ink).toBeGreaterThan(english.ink / 2);
  });

  it('with two scripts is drawn with a font for each', async () => {
    const text = 'Номер רקם 48213';
    const pdf = buildPdfWithoutFont('identity', text);
    const { helping: fonts } = await draw(pdf);
    expect(fonts.map((font) => font.name)).toEqual(['Noto Sans', 'Noto Sans Hebrew']);
    const one = await draw(pdf, fonts.slice(0, 1));
    const both = await draw(pdf, fonts);
    expect(both.ink).toBeGreaterThan(one.ink + 100);
  });

  it('is drawn with the fonts of the reader where these have it', async () => {
    const found = await draw(buildPdf([['Plain text, 48213 \\344 \\200']]));
    expect(found).toMatchObject({ helping: [], lacks: undefined });
    expect(chooseFonts([])).toEqual([]);
  });
});
