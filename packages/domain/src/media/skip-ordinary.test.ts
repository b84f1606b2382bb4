import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../__fixtures__/any-text.ts';
import { findStart, lookAt, type Start } from './find-start.ts';
import { MIN_LINE, skipOrdinary } from './skip-ordinary.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const mailHead = 'Content-Type: font/ttf\nContent-Transfer-Encoding: base64';
const pieces = [
  ...[
    'a',
    'word',
    'b',
    'data',
    'blob',
    'DATA',
    'imageData',
    'note:',
    'data:',
    'data:image/png;base64,',
    '0',
    '13',
    '137',
    '89',
    'ff',
  ],
  ...[
    'iVBORw0KGgo',
    '/9j/',
    'R0lGOD',
    'UEsDBA',
    'AAAA',
    'x'.repeat(MIN_LINE - 1),
    'x'.repeat(MIN_LINE),
    'Zm9v'.repeat(20),
  ],
  ...[
    '"',
    '":"',
    '": "',
    '","',
    '":\\"',
    '\\":\\"',
    '"\n',
    '""',
    "'",
    ':',
    ',',
    ' ',
    '\t',
    '\n',
    '\r\n',
    '\n\n',
    '\r\n\r\n',
    '\n\r',
    '.',
  ],
  ...[
    '\\',
    '\\\\',
    '\\n',
    '\\/',
    '\\u002b',
    '\\x89',
    '\\xff',
    '\\+',
    '\\\\\\\\',
    '\\\\\\\\\\\\\\\\"',
    '%',
    '%2F',
    '%252B',
    '100%',
  ],
  ...[
    'é',
    '語',
    '😀',
    '\u0141',
    '\u007f',
    '\u0000',
    '00000000: 8950',
    mailHead,
    `${mailHead}\n\nZm9v${'YmFy'.repeat(5)}\n`,
  ],
];
const nastyText = fc
  .array(fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pieces) }, anyText(3)), {
    maxLength: 40,
  })
  .map((parts) => parts.join(''));

/** As `findStart`, but every word and escape is looked at. */
function findByLookingAtAll(text: string, from: number, tried: number, isWhole: boolean): Start {
  let at = from;
  while (at < text.length) {
    const found = lookAt(text, at, at === tried, isWhole);
    if (typeof found !== 'number') return found;
    at = found;
  }
  return { type: 'none', at };
}

function listStarts(text: string, find: typeof findStart, isWhole: boolean): Start[] {
  const starts: Start[] = [];
  for (let at = 0, tried = -1; ; tried = at) {
    const start = find(text, at, tried, isWhole);
    starts.push(start);
    if (start.type === 'none') return starts;
    // A line stays one, tried or not.
    at = start.type === 'line' ? start.at + MIN_LINE : start.at;
  }
}

it('passes over nothing that a look at every word and escape finds', () => {
  fc.assert(
    fc.property(nastyText, fc.boolean(), (text, isWhole) => {
      // Text behind it, since the last characters of a text are looked at anyway.
      const longer = `${text}${' .'.repeat(20)}`;
      expect(listStarts(longer, findStart, isWhole)).toEqual(listStarts(longer, findByLookingAtAll, isWhole));
    }),
    { numRuns: isShort ? 800 : 10_000 },
  );
});

it.each([
  ['a sentence, with words and a time of 8 o’clock.', ''],
  ['{\\"name\\":\\"a value\\",\\"list\\":[{\\"id\\":\\"x-1\\"}]}', ''],
  ['Schön: 語 and 😀.', ''],
  [`a digest, ${'c'.repeat(40)}.`, ''],
  [`a digest, ${'c'.repeat(41)}.`, `${'c'.repeat(41)}.`],
  ['in the year 2026.', '2026.'],
  ['see iVBORw0KGgo', 'iVBORw0KGgo'],
  ['{"type":"blob","data":"Zm9v"}', 'Zm9v"}'],
  ['{"type":"blob","name":"Zm9v"}', ''],
  ['a path \\/9j/4AAQ', '\\/9j/4AAQ'],
  ['img src=data:image/png', 'data:image/png'],
  ['half of it is 50%25', '50%25'],
])('of %j it leaves %j to be looked at', (text, rest) => {
  expect(text.slice(skipOrdinary(text, 0, text.length))).toBe(rest);
});
