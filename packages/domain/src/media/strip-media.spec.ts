import { describe, expect, it } from 'vitest';
import { checkDisguises, checkOrdinaryResults, faultsOf, sumOf } from './__fixtures__/check-corpora.ts';
import { makeMedia } from './__fixtures__/make-media.ts';
import { digestOf, PLACE, runStrip } from './__fixtures__/run-strip.ts';
import { createRandom } from './__fixtures__/seeded-random.ts';
import { spellBase64 } from './__fixtures__/spell-base64.ts';
import { createMediaStrip } from './strip-media.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

const SEED = 20_261_122;
const DISGUISES = isShort ? 33 : 231;
const RESULTS = isShort ? 40 : 300;
const HOSTILE_LENGTH = isShort ? 60_000 : 200_000;
const random = createRandom(SEED);
const png = (() => {
  for (;;) {
    const { mimeType, bytes } = makeMedia(random, 3000);
    if (mimeType === 'image/png') return bytes;
  }
})();
const base64 = png.toString('base64');
const wrap = (text: string, width: number, lineBreak = '\n') =>
  text.replaceAll(new RegExp(`.{${width}}`, 'g'), `$&${lineBreak}`);

/** Strips a text: returns the rest of the text, and what was taken out of it. */
const strip = (...chunks: string[]) => {
  const { text, files } = runStrip(chunks);
  return { text, taken: files.map(({ kind, mimeType, bytes }) => `${kind} ${mimeType} ${digestOf(bytes)}`) };
};
const aPng = [`media image/png ${digestOf(png)}`];

describe('media in a text is taken out with the digest of its file [SR-24 AT-34 S24]', () => {
  it(`in a sample of its disguises, seed ${SEED}`, () => {
    const tallies = checkDisguises(SEED, DISGUISES);
    expect(faultsOf(tallies)).toEqual([]);
    expect(sumOf(tallies)).toEqual({ count: DISGUISES, faults: 0 });
  });

  it.each([
    ['a word in the next line', `${base64.replaceAll('=', '')}\nDone\n`, `${PLACE}\nDone\n`],
    ['a word behind the last line of a wrapped one', `${wrap(base64, 76)}\nimage\n`, `${PLACE}\nimage\n`],
    ['a boundary of mail', `\n\n${wrap(base64, 76, '\r\n')}\r\n--b0undary--`, `\n\n${PLACE}\r\n--b0undary--`],
    ['JSON whose slashes are escaped', `{"data":"${base64.replaceAll('/', '\\/')}"}`, `{"data":"${PLACE}"}`],
    ['a data URL in capitals', `DATA:IMAGE/PNG;NAME="a,b";BASE64,${base64})`, `${PLACE})`],
  ])('and ends where its encoding ends: %s', (_, text, expected) => {
    expect(strip(text)).toEqual({ text: expected, taken: aPng });
  });

  it('though an escape, a line break or a data URL’s head is cut in two', () => {
    const text = `x data:image/png;charset="a b";base64,${wrap(base64, 64, '\\r\\n').replaceAll('+', '\\u002b')} y`;
    expect(strip(...text)).toEqual({ text: `x ${PLACE} y`, taken: aPng });
  });

  it('though its padding stands in lines of its own, and comes piece by piece', () => {
    const bytes = Buffer.concat([png, Buffer.from('IEND'.repeat(7))]).subarray(
      0,
      png.length + 3 - ((png.length + 2) % 3),
    );
    const spelled = bytes.toString('base64').replace(/==$/, '=\n\t=');
    expect(spelled).toMatch(/=\n\t=$/);
    expect(strip(...`(${wrap(spelled, 55, '\n\t')}.`)).toEqual({
      text: `(${PLACE}.`,
      taken: [`media image/png ${digestOf(bytes)}`],
    });
  });

  it('though a form of odd length is not filled up, and a word follows in the next line', () => {
    const head = Buffer.from('52494646550f0000574542505650384c490f0000', 'hex');
    const bytes = Buffer.concat([head, createRandom(SEED).bytes(3933 - head.length)]);
    const lines = wrap(bytes.toString('base64url'), 76).trimEnd();
    expect(strip(`${lines}\ncode\``)).toEqual({
      text: `${PLACE}\ncode\``,
      taken: [`media image/webp ${digestOf(bytes)}`],
    });
  });

  it('over content blocks that follow each other', () => {
    const blocks = [base64.slice(0, 1001), base64.slice(1001, 3333), base64.slice(3333)];
    expect(strip(blocks.join('\n'))).toEqual({ text: PLACE, taken: aPng });
  });

  it('of any bytes where a type is declared beside it, before it or behind it', () => {
    const sound = createRandom(5).bytes(120);
    const data = sound.toString('base64');
    for (const block of [
      { mimeType: 'audio/pcm', data },
      { data, mimeType: 'audio/pcm' },
      { type: 'audio', data, mimeType: 'audio/pcm' },
    ])
      expect(strip(JSON.stringify(block)).taken).toEqual([`media audio/pcm ${digestOf(sound)}`]);
  });

  it('and a percent data URL as the bytes that it spells', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg"><text>ü (1) 100%</text></svg>';
    const spelled = encodeURIComponent(svg);
    const expected = [`media image/svg+xml ${digestOf(Buffer.from(svg))}`];
    expect(strip(`![a](data:image/svg+xml,${spelled}) b`)).toEqual({ text: `![a](${PLACE}) b`, taken: expected });
    expect(strip(`see data:image/svg+xml;charset=utf-8,${spelled}.`)).toEqual({
      text: `see ${PLACE}.`,
      taken: expected,
    });
    expect(strip(JSON.stringify({ url: `data:image/svg+xml,${svg}` }))).toEqual({
      text: `{"url":"${PLACE}"}`,
      taken: expected,
    });
  });
});

describe('what is no media stays to the letter [SR-24 S24]', () => {
  it(`in a sample of ordinary results, seed ${SEED}`, () => {
    const tallies = checkOrdinaryResults(SEED, RESULTS);
    expect(faultsOf(tallies)).toEqual([]);
    expect(sumOf(tallies)).toEqual({ count: RESULTS, faults: 0 });
  });

  it.each([
    ['const url = `data:image/png;base64,$', '{data}`; // data:image/png;base64,iVBO…'].join(''),
    'metadata: a,b and data: c, d. data:,x data:text/plain,hello%20world',
    `digest ${'0123456789abcdef'.repeat(1000)}`,
    `${'-'.repeat(4000)}\n${'='.repeat(400)}\n${'_'.repeat(20_000)}`,
    `a lone \ud83d surrogate, another \ude00, ${'x'.repeat(70)}\ud83d`,
    `\\${'\\'.repeat(500)}n %25%25252 %2 \\u00 \\u12g4 \\x9 100%`,
  ])('%j', (text) => {
    expect(strip(text)).toEqual({ text, taken: [] });
    expect(strip(...text.split(''))).toEqual({ text, taken: [] });
  });

  it('base64 up to 16 KiB; what is longer moves, and can be spelled again', () => {
    const bytes = createRandom(6).bytes(12_288);
    const most = bytes.toString('base64');
    expect(most).toHaveLength(16_384);
    expect(strip(`a ${most} b`)).toEqual({ text: `a ${most} b`, taken: [] });
    const more = Buffer.concat([bytes, bytes.subarray(0, 100)]);
    const spellings = [
      more.toString('base64'),
      more.toString('base64url'),
      more.toString('base64').replaceAll('=', ''),
      wrap(more.toString('base64'), 64),
      wrap(more.toString('base64url'), 76, '\r\n  '),
    ];
    for (const spelled of spellings) {
      const { text, files } = runStrip([`a "${spelled}" b`]);
      const [file] = files;
      expect(file).toMatchObject({ kind: 'bytes', mimeType: undefined });
      expect(digestOf(file?.bytes ?? Buffer.alloc(0))).toBe(digestOf(more));
      expect(text.replace(PLACE, () => spellBase64(file?.bytes, file?.spelling))).toBe(`a "${spelled}" b`);
    }
  });

  it('and what no encoder writes moves as the text that it is', () => {
    const spelled = wrap(createRandom(7).bytes(30_000).toString('base64'), 50);
    const { text, files } = runStrip(spelled.match(/.{1,777}/gs) ?? []);
    expect(files).toMatchObject([{ kind: 'bytes', spelling: undefined }]);
    expect(text.replace(PLACE, String(files[0]?.bytes))).toBe(spelled);
  });

  it('a run that continues as no encoder would is taken out so far, and the rest stays or moves', () => {
    const first = createRandom(8).bytes(15_000).toString('base64');
    const spelled = `${wrap(first, 64).trim()}\nAAAA\n${wrap(first, 64)}`;
    const { text, files } = runStrip([spelled]);
    let index = 0;
    const again = text.replaceAll(PLACE, () => {
      const file = files[index++];
      return spellBase64(file?.bytes, file?.spelling);
    });
    expect(again).toBe(spelled);
  });
});

describe('a text that is shown while it comes [SR-24]', () => {
  const push = (chunks: string[]) => {
    const deltas = createMediaStrip({ holdFromLength: 64 });
    return chunks.map((chunk) =>
      deltas
        .push(chunk)
        .map((piece) => (piece.type === 'text' ? piece.text : `<${piece.type}>`))
        .join(''),
    );
  };

  it('is given out at once up to the 64th character of a run', () => {
    const chunks = ['See ', 'the', ' picture: ', 'A'.repeat(40), 'A'.repeat(23), 'AA', 'AAA', ' and', ' more'];
    expect(push(chunks)).toEqual([...chunks.slice(0, 5), '', '', 'AAAAA and', ' more']);
  });

  it('and from then on held back until the run ends', () => {
    const said = push([...(`It is ${base64}`.match(/.{1,20}/g) ?? []), ' .', 'Next']);
    expect(said.join('')).toMatch(/^It is iVBORw0KGgo.{0,60}<open>(?:<bytes>)+<close> \.Next$/);
  });
});

describe('hostile texts [S24]', () => {
  it.each([
    ['starts of runs', 'iVBORw0KGgo/9j/4AAQ '],
    ['heads of data URLs', 'data:image/png;a="data:image/png;'],
    ['empty data URLs', 'data:image/png,'],
    ['escapes inside escapes', '\\\\\\u005c%25'],
    ['lists of bytes', '[137,80,78,[137,'],
    ['offsets of a dump', '00000000: 8950 4e47\n'],
    ['short lines', 'iVBO\nRw0K\n'],
    ['gaps', 'iVBORw0K \n\t \n'],
    ['types that declare nothing', '{"mimeType":"image/png","data":"'],
  ])('%s are passed in one go, and stay', (_, seed) => {
    const text = seed.repeat(Math.ceil(HOSTILE_LENGTH / seed.length));
    const { text: left, files } = runStrip(text.match(/[\s\S]{1,5000}/g) ?? []);
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
    expect(left.length + bytes * 2).toBeGreaterThan(text.length / 4);
  });
});
