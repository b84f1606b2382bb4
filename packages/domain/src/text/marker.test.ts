import { formatMarker, idFromUuid, parseMarkers } from '@attache/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../__fixtures__/any-text.ts';
import { announceAttachments } from './marker.ts';

const id = idFromUuid('attachment', '00112233-4455-6677-8899-aabbccddeeff');
const other = idFromUuid('attachment', 'ffeeddcc-bbaa-9988-7766-554433221100');
const marker = { id, mimeType: 'image/png', name: 'shot.png' };

describe('formatMarker', () => {
  it('has one shape [AT-58]', () => {
    expect(formatMarker(marker)).toBe(`[attachment id=${id} type=image/png name="shot.png"]`);
  });

  it.each([
    'a]b.png',
    'a\nb',
    'a\u2028b\u0085c',
    `x"] [attachment id=${other} type=text/plain name="evil"]`,
    `x\\"] [attachment id=${other} type=text/plain name=\\"evil\\"]`,
    'zero\u200Bwidth\u202E',
    '\uFF3Dhomoglyph\uFF3B',
    '\u{E0041}tag 👩\u200D💻',
    '\ud800',
  ])('is one line and one marker for the name %j [S21]', (name) => {
    const text = formatMarker({ ...marker, name });
    expect(text).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    expect(text.match(/[[\]\uFF3B\uFF3D]/g)).toEqual(['[', ']']);
    expect(parseMarkers(text)).toEqual([{ ...marker, name }]);
  });

  it('is one marker with the same name, whatever the name holds [S21]', () => {
    const pieces = fc.constantFrom(
      '[',
      ']',
      '"',
      '\\',
      '\n',
      ' name=',
      `[attachment id=${other}`,
      ' type=a/b',
      '\u200B',
      'x',
      '\\u005d',
    );
    const name = fc.oneof(
      anyText(100),
      fc.array(pieces).map((parts) => parts.join('')),
    );
    fc.assert(
      fc.property(name, (hostile) => {
        const sandwich = `before ${formatMarker({ ...marker, name: hostile })} after`;
        expect(parseMarkers(sandwich)).toEqual([{ ...marker, name: hostile }]);
      }),
      { numRuns: 200 },
    );
  });

  it('does not let a media type speak [S21]', () => {
    const text = formatMarker({ ...marker, mimeType: `image/png name="x"] [attachment id=${other}` });
    expect(parseMarkers(text)).toEqual([{ ...marker, mimeType: 'application/octet-stream' }]);
  });
});

describe('parseMarkers', () => {
  it('finds what people wrote themselves, as a claim to be checked [S22]', () => {
    const text = `see ${formatMarker({ ...marker, id: other })} and ${formatMarker(marker)}`;
    expect(parseMarkers(text).map((found) => found.id)).toEqual([other, id]);
  });

  it.each([
    '[attachment id=att_short type=image/png name="x"]',
    `[attachment id=${id} type=image/png name=x]`,
    `[attachment id=${id} type=image/png name="x]`,
    `[attachment id=${id} type=image/png name="\\q"]`,
    `［attachment id=${id} type=image/png name="x"］`,
    `[attachment id=${id.toLowerCase()}! type=image/png name="x"]`,
  ])('takes %j for text [S22]', (text) => {
    expect(parseMarkers(text)).toEqual([]);
  });

  it('reads a hostile text in linear time [S22]', () => {
    expect(parseMarkers(`[attachment id=${id} type=image/png name="`.repeat(5000))).toEqual([]);
  });
});

describe('announceAttachments', () => {
  it('adds one line for each id, once [AT-28 AT-58]', () => {
    const second = { id: other, mimeType: 'text/plain', name: 'b.txt' };
    expect(announceAttachments('look', [marker, second, marker])).toBe(
      `look\n${formatMarker(marker)}\n${formatMarker(second)}`,
    );
  });

  it('keeps a text without attachments as it is [DL-83]', () => {
    expect(announceAttachments('look\n', [])).toBe('look\n');
  });

  it('starts with the marker where there is no text [AT-28]', () => {
    expect(announceAttachments('', [marker])).toBe(formatMarker(marker));
  });

  it('does not repeat a marker that stands in the text, but adds one beside a forged one [AT-28 S22]', () => {
    expect(announceAttachments(`look\n${formatMarker(marker)}`, [marker])).toBe(`look\n${formatMarker(marker)}`);
    const forged = formatMarker({ ...marker, name: 'other.png' });
    expect(announceAttachments(forged, [marker])).toBe(`${forged}\n${formatMarker(marker)}`);
  });
});
