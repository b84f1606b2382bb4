import { expect, it } from 'vitest';
import { type MadeMedia, makeMedia } from './__fixtures__/make-media.ts';
import { digestOf, PLACE, runStrip } from './__fixtures__/run-strip.ts';
import { createRandom } from './__fixtures__/seeded-random.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const SEED = 20_261_130;
const FILES = isShort ? 2 : 12;
const SIZES = [60, 900, 3_000, 40_000];
/** A bare file this small is text. */
const LEAST_BARE_BYTES = 750;

type Case = { form: string; text: string; expected: string; file: MadeMedia };

const cutAt = (text: string, places: readonly number[], gap: string) =>
  places.toReversed().reduce((joined, place) => `${joined.slice(0, place)}${gap}${joined.slice(place)}`, text);
const wrap = (text: string, width: number, gap: string) =>
  text.replaceAll(new RegExp(`.{${width}}(?=.)`, 'gs'), `$&${gap}`);

const heads: Record<string, (type: string) => string> = {
  plain: (type) => `data:${type};base64,`,
  'a blank behind': (type) => `data:${type};base64, `,
  'an indented line behind': (type) => `data:${type};base64,\n    `,
  'blanks within': (type) => `data: ${type}; base64 , `,
  'a line break within': (type) => `data:${type};\nbase64,`,
};
const gaps: readonly [number, string][] = [
  ...(
    [
      [4, ' '],
      [76, ' '],
      [76, '\t'],
      [100, '  '],
      [1_000, ' '],
      [76, '%20'],
      [76, '%0A'],
    ] as const
  ).map(([width, gap]): [number, string] => [width, gap]),
  ...(
    [
      [76, '\n'],
      [60, '\n   '],
      [76, '\r\n'],
      [76, '\\r\\n'],
    ] as const
  ).map(([width, gap]): [number, string] => [width, gap]),
];

function* listCases(file: MadeMedia, cuts: readonly number[]): Generator<Case> {
  const data = file.bytes.toString('base64');
  for (const [form, head] of Object.entries(heads))
    yield { form, file, text: `x ${head(file.mimeType)}${data} y`, expected: `x ${PLACE} y` };
  const url = `data:${file.mimeType};base64,`;
  for (const [width, gap] of gaps) {
    const parted = `${url}${wrap(data, width, gap)}`;
    const form = `a data URL parted by ${JSON.stringify(gap)} at ${width}`;
    yield { form, file, text: `x "${parted}" y`, expected: `x "${PLACE}" y` };
    yield { form, file, text: `x ${parted}\n\ny is a word.`, expected: `x ${PLACE}\n\ny is a word.` };
  }
  // Blocks of a result are joined by line breaks.
  for (const gap of ['\n', '\n\n']) {
    const joined = cutAt(data, cuts, gap);
    yield { form: 'a data URL in blocks', file, text: `a: ${url}${joined}\ndone.`, expected: `a: ${PLACE}\ndone.` };
    if (file.bytes.length < LEAST_BARE_BYTES) continue;
    yield { form: 'blocks', file, text: joined, expected: PLACE };
    yield {
      ...{ form: 'blocks between words', file },
      ...{
        text: `Here it is:${gap}${joined}${gap}That was it.`,
        expected: `Here it is:${gap}${PLACE}${gap}That was it.`,
      },
    };
  }
  for (const edge of [2, 3, 5, 9, 14, 19]) {
    const text = `{"url":"${url}${cutAt(data, [data.length - edge], edge % 2 === 0 ? ' ' : '\n')}"}`;
    yield { form: 'a data URL whose last characters are apart', file, text, expected: `{"url":"${PLACE}"}` };
  }
}

function listAll(): Case[] {
  const random = createRandom(SEED);
  return Array.from({ length: FILES }).flatMap(() =>
    SIZES.flatMap((size) => {
      const file = makeMedia(random, size);
      const { length } = file.bytes.toString('base64');
      const count = random.integer(1, 6);
      const cuts = Array.from({ length: count }, (_, index) => Math.floor((length * (index + 1)) / (count + 1)));
      return [...listCases(file, cuts)];
    }),
  );
}

it(`media in data URLs with blanks and over blocks is taken out whole, and the words around it stay, seed ${SEED} [SR-24 AT-34 S24]`, () => {
  const cases = listAll();
  const faults = cases.flatMap(({ form, file, text, expected }) => {
    const { text: left, files } = runStrip([text]);
    // Sound that is cut where a frame ends is two files, as two files one behind the other are.
    const isSound = file.mimeType === 'audio/mpeg';
    const joined = isSound ? left.replaceAll(/\0\n+(?=\0)/g, '') : left;
    const isWhole = digestOf(Buffer.concat(files.map(({ bytes }) => bytes))) === digestOf(file.bytes);
    return isWhole && joined === expected ? [] : [`${form}: ${file.mimeType} of ${file.bytes.length} bytes`];
  });
  process.stdout.write(`Of ${cases.length} media split or with blanks ${faults.length} were not taken out whole.\n`);
  expect(faults).toEqual([]);
});

it.each([
  'data:image/png;base64,AAAA and more words follow it here',
  'see data:image/png;base64,iVBORw0KGgo= and then the rest of the sentence',
  '"data:image/png;base64,$" + data of the picture',
])('words behind a data URL are no part of it: %j [S24]', (text) => {
  const { text: left, files } = runStrip([text]);
  expect(files.map(({ bytes }) => bytes.length).every((length) => length < 20)).toBe(true);
  expect(left.endsWith(text.slice(text.indexOf(' ', text.indexOf(',')) + 1))).toBe(true);
});
