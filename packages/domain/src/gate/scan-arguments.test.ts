import { describe, expect, it } from 'vitest';
import { scanArguments, scanLimits } from './scan-arguments.ts';

const id = 'att_ABEiM0RVZneImaq7zN3u_w';
const other = 'att_AAAAAAAAAAAAAAAAAAAAAA';

const candidatesOf = (input: unknown) => {
  const outcome = scanArguments(input);
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

  it('reports each spelling once, letter for letter [AT-30 S2]', () => {
    expect(candidatesOf([id, id, id.toLowerCase(), id.toUpperCase()])).toEqual(
      [id, id.toLowerCase(), id.toUpperCase()].toSorted(),
    );
  });

  it('finds an id inside another [AT-30]', () => {
    const outer = `att_AAAAAAAAAAAA${'att_'}AAAAAA`;
    expect(candidatesOf(`${outer.slice(0, -1)}A${'A'.repeat(16)}`)).toEqual([other, outer].toSorted());
  });

  it.each([
    'attachment_of_the_week_and_the_month',
    'att_short',
    'format_date_of_the_last_report',
    'att_ABEiM0RVZneImaq7zN3u_x',
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
    expect(scanArguments(nest(65))).toEqual({ status: 'over-limit', limit: 'maxDepth' });
    expect(scanArguments([1, 2], { ...scanLimits, maxValues: 3 })).toMatchObject({ status: 'scanned' });
    expect(scanArguments([1, 2, 3], { ...scanLimits, maxValues: 3 })).toMatchObject({ limit: 'maxValues' });
    expect(scanArguments('abcd', { ...scanLimits, maxTextLength: 4 })).toMatchObject({ status: 'scanned' });
    expect(scanArguments('abcde', { ...scanLimits, maxTextLength: 4 })).toMatchObject({ limit: 'maxTextLength' });
  });

  it('let nothing that is too deep fill the stack', () => {
    expect(scanArguments(nest(1_000))).toEqual({ status: 'over-limit', limit: 'maxDepth' });
    expect(scanArguments(nest(1_000), { ...scanLimits, maxDepth: 1_000 })).toMatchObject({ candidates: [id] });
  });

  it('end a scan of a million keys, and of a text of 100 MB', () => {
    const keys = { ...Array.from({ length: 1_000_000 }, () => null) };
    expect(scanArguments(keys)).toEqual({ status: 'over-limit', limit: 'maxValues' });
    expect(scanArguments({ text: 'a'.repeat(100_000_000) })).toEqual({ status: 'over-limit', limit: 'maxTextLength' });
  });

  it('hold where one text comes apart into very many', () => {
    const text = `att%255f${id.slice(4)}%20`.repeat(200_000);
    expect(candidatesOf({ text })).toEqual([id]);
  });

  it('end a scan of what goes round', () => {
    const loop: unknown[] = [];
    loop.push(loop, loop);
    expect(scanArguments(loop, { ...scanLimits, maxDepth: 1_000_000 })).toMatchObject({ limit: 'maxValues' });
  });

  it('count what stands behind escapes, layer by layer', () => {
    const text = `%${'25'.repeat(50_000)}61`;
    expect(scanArguments({ text }, { ...scanLimits, maxTextLength: 1_000_000 })).toMatchObject({
      limit: 'maxTextLength',
    });
  });

  it('count candidates as values', () => {
    const text = Array.from({ length: 11 }, (_, index) => `att_${String(index).padStart(21, 'x')}A`).join(' ');
    expect(scanArguments({ text }, { ...scanLimits, maxValues: 10 })).toMatchObject({ limit: 'maxValues' });
  });
});
