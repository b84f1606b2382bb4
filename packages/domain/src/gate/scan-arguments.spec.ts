import { describe, expect, it } from 'vitest';
import { scanAtOnce } from './__fixtures__/scan-at-once.ts';
import { scanArguments } from './scan-arguments.ts';
import { scanLimits } from './scan-limits.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
/** Shorter than an id, so that each border lies in some of them. */
const PLACE_STEP = isShort ? 7 : 1;

const id = 'att_ABEiM0RVRneImaq7zN3u_w';
const other = `att_${'A'.repeat(8)}QAC${'A'.repeat(11)}`;

const candidatesOf = (input: unknown) => {
  const outcome = scanAtOnce(input);
  if (outcome.status !== 'scanned') throw new Error(`Above the limit ${outcome.limit}.`);
  return outcome.candidates.toSorted();
};
const percentEncode = (text: string) =>
  Array.from(text, (letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
const unicodeEscape = (text: string) =>
  Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');

describe('the scan of a tool call', () => {
  it.each<[string, unknown]>([
    ['as the whole input', id],
    ['as a value', { file: id }],
    ['as a key', { [id]: 1 }],
    ['in a list in an object in a list', [{ files: [1, null, true, [id]] }]],
    ['in a longer text', { command: `convert /files/${id}.png -resize 50% out.png` }],
    ['in a marker that the text holds [S22]', { text: `[attachment id=${id} type=image/png name="a.png"]` }],
    ['in a URL', { url: `https://files.example.org/v1/attachments/${id}/raw?exp=1&g=2` }],
    ['in JSON in a text', { arguments: JSON.stringify({ files: [id] }) }],
    ['as a key of JSON in JSON in a text', { a: JSON.stringify({ b: JSON.stringify({ [id]: 1 }) }) }],
    ['in JSON after other words', { command: `curl -d '${JSON.stringify({ id })}' localhost` }],
    ['percent-encoded', { url: `https://example.org/?f=${percentEncode(id)}` }],
    ['percent-encoded in its first letter', { url: `?f=%61${id.slice(1)}` }],
    ['percent-encoded in its underscore', { url: `?f=${id.replaceAll('_', '%5F')}` }],
    ['percent-encoded twice', { url: `?f=%2561${id.slice(1)}` }],
    ['percent-encoded three times', { url: percentEncode(percentEncode(percentEncode(id))) }],
    ['with a JSON escape', { text: `\\u0061${id.slice(1)}` }],
    ['in JSON escapes in JSON escapes', { text: unicodeEscape(unicodeEscape(id)) }],
    ['with an escaped letter of an escape', { text: `\\\\\\u00750061${id.slice(1)}` }],
    ['in JSON escapes that are percent-encoded', { text: percentEncode(unicodeEscape(id)) }],
    ['percent-encoded in JSON escapes', { text: unicodeEscape(percentEncode(id)) }],
    ['after an escape that eats its first letter', { text: `\\u000${id.replaceAll('_', '%5f')}` }],
    ['after a percent sign that eats its first letter', { text: `%2${id.replaceAll('_', '\\u005f')}` }],
    ['after broken escapes', { text: `%zz%%\\u12\\x${id.replaceAll('_', '%5f')}` }],
    ['with characters of ids around it', { text: `format_${id}_AAAA` }],
  ])('finds an id %s [AT-30 BX-08 S2]', (_, input) => {
    expect(candidatesOf(input)).toEqual([id]);
  });

  it.each([
    ['a percent escape', '%2'],
    ['an escaped percent escape', '%252'],
    ['a JSON escape', '\\u000'],
    ['a JSON escape of no ASCII', '\\u123'],
  ])('finds an id whose first letter ends %s [AT-30]', (_, before) => {
    const rest = id.slice(1).replaceAll('_', '%5f');
    expect(candidatesOf({ text: `${before}a${rest}` })).toEqual([id]);
    expect(candidatesOf({ text: `${before}A${rest}` })).toEqual([]);
  });

  it('finds an id whose last letter holds bits that no id has: a lenient decoder reads it as another [AT-30 S2]', () => {
    const spelled = `${id.slice(0, -1)}x`;
    expect(candidatesOf({ text: spelled })).toEqual([spelled]);
  });

  it('reports each spelling once, and none in another letter case: it names nothing [AT-30 S2]', () => {
    expect(candidatesOf([id, id, id.toLowerCase(), id.toUpperCase(), `ATT_${id.slice(4)}`])).toEqual([id]);
  });

  it('finds an id inside another [AT-30]', () => {
    const outer = 'att_AAAAAAAAQACAatt_AAAAAA';
    expect(candidatesOf(`${outer}AAQAC${'A'.repeat(11)}`)).toEqual([other, outer].toSorted());
  });

  it.each([
    'attachment_of_the_week_and_the_month',
    'att_short',
    'data_att_network_subscriber_identifier',
    'ATT_MAXIMUM_TRANSMISSION_UNIT_IN_BYTES',
    'watt_hours_per_kilometer_and_day',
    'att_ABEiM0RVZneImaq7zN3u_w',
    'format_date_of_the_last_report',
    'att_ABEiM0RVZne.maq7zN3u_w',
    'C:\\\\utils\\\\att\\\\u_and_so_on_and_so_forth',
    'https://example.org/%C3%A4tt_%20',
    '',
  ])('sees no id in %j', (text) => {
    expect(candidatesOf({ text })).toEqual([]);
  });

  it('takes what is no object and no text for what it is', () => {
    for (const input of [undefined, null, 0, true, [], {}]) expect(candidatesOf(input)).toEqual([]);
  });
});

describe('the limits of a scan', () => {
  const nest = (depth: number) => JSON.parse(`${'['.repeat(depth)}"${id}"${']'.repeat(depth)}`);

  it('are met exactly', () => {
    expect(candidatesOf(nest(64))).toEqual([id]);
    expect(scanAtOnce(nest(65))).toEqual({ status: 'over-limit', limit: 'maxDepth' });
    expect(scanAtOnce([1, 2], { ...scanLimits, maxValues: 3 })).toMatchObject({ status: 'scanned' });
    expect(scanAtOnce([1, 2, 3], { ...scanLimits, maxValues: 3 })).toMatchObject({ limit: 'maxValues' });
    expect(scanAtOnce('abcd', { ...scanLimits, maxTextLength: 4 })).toMatchObject({ status: 'scanned' });
    expect(scanAtOnce('abcde', { ...scanLimits, maxTextLength: 4 })).toMatchObject({ limit: 'maxTextLength' });
  });

  it('let nothing that is too deep fill the stack', () => {
    expect(scanAtOnce(nest(1_000))).toEqual({ status: 'over-limit', limit: 'maxDepth' });
    expect(scanAtOnce(nest(1_000), { ...scanLimits, maxDepth: 1_000 })).toMatchObject({ candidates: [id] });
  });

  it('end a scan of very many keys, and of a text beyond the limit', () => {
    const keys = { ...Array.from({ length: isShort ? scanLimits.maxValues + 1 : 1_000_000 }, () => null) };
    expect(scanAtOnce(keys)).toEqual({ status: 'over-limit', limit: 'maxValues' });
    expect(scanAtOnce({ text: 'a'.repeat(isShort ? scanLimits.maxTextLength + 1 : 100_000_000) })).toEqual({
      status: 'over-limit',
      limit: 'maxTextLength',
    });
  });

  it('hold where one text comes apart into very many', () => {
    const text = `att%255f${id.slice(4)}%20`.repeat(isShort ? 50_000 : 200_000);
    expect(candidatesOf({ text })).toEqual([id]);
  });

  it('end a scan of what goes round', () => {
    const loop: unknown[] = [];
    loop.push(loop, loop);
    expect(scanAtOnce(loop, { ...scanLimits, maxDepth: 1_000_000 })).toMatchObject({ limit: 'maxValues' });
  });

  it('count candidates', () => {
    const text = Array.from(
      { length: 11 },
      (_, index) => `att_${String(index).padStart(8, 'x')}QAC${'x'.repeat(10)}A`,
    ).join(' ');
    expect(scanAtOnce({ text }, { ...scanLimits, maxCandidates: 11 })).toMatchObject({ status: 'scanned' });
    expect(scanAtOnce({ text }, { ...scanLimits, maxCandidates: 10 })).toMatchObject({ limit: 'maxCandidates' });
  });

  it('count escapes that wait for each other', () => {
    const text = `${'x'.repeat(30)}${'%'.repeat(11)}41`;
    expect(scanAtOnce({ text }, { ...scanLimits, maxOpenEscapes: 10 })).toMatchObject({ status: 'scanned' });
    expect(scanAtOnce({ text }, { ...scanLimits, maxOpenEscapes: 9 })).toMatchObject({ limit: 'maxOpenEscapes' });
  });

  it('count the layers of what can be read in more than one way', () => {
    const text = `att_${unicodeEscape(unicodeEscape(id.slice(4)))}`;
    expect(candidatesOf({ text })).toEqual([id]);
    expect(scanAtOnce({ text }, { ...scanLimits, maxLayeredLength: 100 })).toMatchObject({ limit: 'maxLayeredLength' });
  });
});

describe('escapes inside escapes', () => {
  it.each([
    ['percent signs', `%${'25'.repeat(200_000)}61`],
    ['backslashes', `\\${'u005c'.repeat(80_000)}u0061`],
    ['both by turns', `${'\\u0025'.repeat(3)}${'25'.repeat(80_000)}5c${'u005c'.repeat(80_000)}u0061`],
    ['backslashes as JSON doubles them', `${'\\'.repeat(2 ** 18)}u0061`],
  ])('are read to the last, however many: %s [AT-30]', (_, letter) => {
    expect(candidatesOf({ text: `${letter}${id.slice(1)}` })).toEqual([id]);
  });
});

describe('a long word', () => {
  // This is the length of text that is kept while reading: the id is at each place of it once.
  it.each([1_000, 8_000, 16_000])(
    'shows an escaped id wherever it lies in it, from %i characters on [AT-30]',
    (from) => {
      const escaped = id.replaceAll('_', '%5f');
      const missed = Array.from({ length: 1_000 / PLACE_STEP }, (_, index) => from + index * PLACE_STEP).filter(
        (before) => {
          const outcome = scanAtOnce(`%41${'x'.repeat(before)}${escaped}`);
          return outcome.status !== 'scanned' || outcome.candidates[0] !== id;
        },
      );
      expect(missed).toEqual([]);
    },
  );
});

describe('a large call', () => {
  const pausesOf = (input: unknown) => {
    const scan = scanArguments(input);
    let pauses = 0;
    while (scan.next().done !== true) pauses += 1;
    return pauses;
  };

  it('is scanned in pieces with a pause after each, and a small one at once', () => {
    expect(pausesOf({ text: 'a'.repeat(200_000) })).toBe(0);
    expect(pausesOf({ text: 'a'.repeat(10_000_000) })).toBeGreaterThan(30);
    expect(pausesOf(Array.from({ length: 10_000 }, () => 'a'.repeat(1_000)))).toBeGreaterThan(30);
    expect(pausesOf(Array.from({ length: 199_999 }, () => null))).toBeGreaterThan(10);
  });

  it.each([
    ['as it is', id],
    ['behind escapes', id.replaceAll('_', '%255f')],
    ['in a long word', `${'x'.repeat(400)}${id.replaceAll('_', '%255f')}${'x'.repeat(400)}`],
    ['behind a long escape', `%${'25'.repeat(400)}61${id.slice(1)}`],
    ['behind what is read in two ways', `att_${unicodeEscape(unicodeEscape(id.slice(4)))}`],
  ])('shows an id that lies across the border of two pieces, %s [AT-30]', (_, spelled) => {
    const border = 256 * 1024;
    for (let before = border - spelled.length - 1; before <= border + 1; before += Math.ceil(spelled.length / 12)) {
      expect(candidatesOf({ text: `${' '.repeat(before)}${spelled}${' '.repeat(border)}` })).toEqual([id]);
    }
  });
});
