import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findInlineMedia, stripInlineMedia } from './strip-media.ts';

const unit = fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/');
const sample = `/9j/${'4AAQSkZJRgABAQEASABIAAD+'.repeat(12)}AA==`;
const strip = (text: string) =>
  stripInlineMedia(text, ({ payload, mimeType }) => `<${mimeType ?? '?'} ${payload === sample}>`);

describe('stripInlineMedia', () => {
  it.each([
    ['a data URL', `![p](data:image/png;base64,${sample}) end`, '![p](<image/png true>) end'],
    ['a bare run', `before ${sample} after`, 'before <? true> after'],
    ['a JSON string', JSON.stringify({ data: sample }), '{"data":"<? true>"}'],
    ['JSON with escaped slashes', `{"data":"${sample.replaceAll('/', '\\/')}"}`, '{"data":"<? true>"}'],
    [
      'HTML-safe JSON',
      `{"data":"${sample.replaceAll('+', '\\u002b').replaceAll('=', '\\u003d')}"}`,
      '{"data":"<? true>"}',
    ],
    ['wrapped lines', `x:\n${sample.replaceAll(/(.{76})/g, '$1\r\n')}\n`, 'x:\n<? true>\n'],
    ['indented lines', `x:\n${sample.replaceAll(/(.{64})/g, '$1\n  ')}\n`, 'x:\n<? true>\n'],
    [
      'JSON inside JSON with wrapped lines',
      JSON.stringify(JSON.stringify({ d: `\n${sample.replaceAll(/(.{76})/g, '$1\n')}` })),
      JSON.stringify(JSON.stringify({ d: '\n<? true>' })),
    ],
    ['percent escapes', `u=${encodeURIComponent(sample)}&x`, 'u=<? true>&x'],
    [
      'a data URL in a query',
      `u=${encodeURIComponent(`data:image/png;base64,${sample}`)}`,
      'u=data%3Aimage%2Fpng%3Bbase64%2C<? true>',
    ],
    ['a data URL in capitals', `DATA:IMAGE/PNG;name="x.png"`, `DATA:IMAGE/PNG;name="x.png"`],
    ['a data URL with parameters', `data:image/png;name=x.png;BASE64,${sample}`, '<image/png true>'],
  ])('takes media out of %s [SR-24 S24]', (_, text, expected) => {
    expect(strip(text)).toBe(expected);
  });

  it('takes a short data URL out too, and one that is not base64 [SR-24]', () => {
    expect(stripInlineMedia('a data:image/gif;base64,R0lGOD b', () => 'X')).toBe('a X b');
    expect(stripInlineMedia('<img src="data:image/svg+xml,%3Csvg%3E">', ({ encoding }) => encoding)).toBe(
      '<img src="percent">',
    );
  });

  it('takes out what nobody knows: it fails closed [S24]', () => {
    const urlSafe = 'abc-_012'.repeat(40);
    expect(stripInlineMedia(`a ${urlSafe} b`, () => undefined)).toBe('a [removed 320 base64 characters] b');
  });

  it.each([
    'An ordinary sentence, with metadata: a,b and data: c, d.',
    `digest ${'0123456789abcdef'.repeat(8)}`,
    `/usr/lib/${'folder/'.repeat(20)}file`,
    'word\n'.repeat(300),
    `${'-'.repeat(400)}\n${'='.repeat(400)}\n${'_'.repeat(400)}`,
    'const data = { a: 1 }; // data:,',
  ])('leaves %j alone', (text) => {
    expect(findInlineMedia(text)).toEqual([]);
    expect(strip(text)).toBe(text);
  });

  it('finds each piece of media once, byte for byte [SR-24 S24]', () => {
    const payload = fc.string({ unit, minLength: 256, maxLength: 600 });
    const piece = fc.oneof(
      payload.map((data) => ({ data, text: data })),
      payload.map((data) => ({ data, text: `data:image/webp;base64,${data}` })),
    );
    const prose = fc.constantFrom(' and ', '\n', '", "', ')(', ' <b> ', '; ');
    fc.assert(
      fc.property(fc.array(fc.tuple(prose, piece), { maxLength: 4 }), (written) => {
        const text = `start${written.map(([between, { text }]) => ` ${between} ${text}`).join('')} end.`;
        const expected = written.map(([, { data }]) => data);
        expect(findInlineMedia(text).map((found) => found.payload)).toEqual(expected);
        expect(findInlineMedia(stripInlineMedia(text, () => '[attachment]'))).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('keeps its pace on hostile texts [S24]', () => {
    for (const hostile of ['\\', 'data:', '%2B', `${'A'.repeat(40)}\n`, 'data:image/png,', '\\u002', 'A\\']) {
      expect(strip(hostile.repeat(50_000)).length).toBeGreaterThan(0);
    }
  });
});
