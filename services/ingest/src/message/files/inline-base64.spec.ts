import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeBase64, measureBase64 } from './inline-base64.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';

/** As JSON spells a text, without its quotes. */
const rawOf = (text: string) => Buffer.from(JSON.stringify(text).slice(1, -1));

async function decode(raw: Uint8Array): Promise<Buffer | undefined> {
  if ((await measureBase64(raw)) === undefined) return undefined;
  return Buffer.concat(await Array.fromAsync(decodeBase64(raw)));
}

const breakLines = (text: string, width: number, ending: string) =>
  text.replaceAll(new RegExp(`.{${width}}`, 'g'), (line) => line + ending);
const escapeSlashes = (raw: Buffer) => Buffer.from(raw.toString('latin1').replaceAll('/', '\\/'), 'latin1');
const escapeAll = (text: string) =>
  Buffer.from(Array.from(text, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''));

describe('base64 inside a message', () => {
  it.each([1, 2, 3, 1_000, 49_152, 49_153, ...(isShort ? [] : [49_150, 98_304, 1_000_001])])(
    'of %i bytes is decoded in every spelling [DL-46]',
    async (size) => {
      const bytes = randomBytes(size);
      const base64 = bytes.toString('base64');
      const spellings = [
        rawOf(base64),
        rawOf(base64.replaceAll('=', '')),
        rawOf(`data:image/png;base64,${base64}`),
        rawOf(breakLines(base64, 76, '\n')),
        rawOf(breakLines(base64, 61, '\r\n')),
        escapeSlashes(rawOf(base64)),
        escapeAll(base64),
      ];
      for (const raw of spellings) {
        expect(await measureBase64(raw)).toBe(size);
        expect((await decode(raw))?.equals(bytes)).toBe(true);
      }
    },
  );

  it('is what the decoder of the whole text takes, wherever pieces end [DL-46]', async () => {
    const letter = fc.constantFrom(...'AAbZ09+/=\n \\"é!-_ŁǁＡ');
    const text = fc.tuple(fc.integer({ min: 49_140, max: 49_160 }), fc.string({ unit: letter, maxLength: 24 }));
    await fc.assert(
      fc.asyncProperty(text, async ([before, end]) => {
        const whole = `${'A'.repeat(before)}${end}`;
        const bare = whole.replaceAll(/\s/g, '');
        const letters = bare.replace(/={1,2}$/, '');
        const isValid = /^[A-Za-z0-9+/]*$/.test(letters) && letters.length % 4 !== 1;
        expect((await decode(rawOf(whole)))?.toString('hex')).toBe(
          isValid ? Buffer.from(bare, 'base64').toString('hex') : undefined,
        );
      }),
      { numRuns: isShort ? 20 : 60 },
    );
  });

  it.each([
    '!!',
    'A',
    'AAAAA',
    'AA=A',
    'AAAA====',
    'data:text/plain,hello',
    'data:;base65,AAAA',
    'data:',
    'AA\\u00',
    'AA\\',
    '\x01AAA',
    'AAAA-_',
    'AAA-AAAA',
    'AAA_AAAA',
    'AAA\\u0141',
    'AAA\\u0041AAA\\u4141',
    'AAAAé',
  ])('is not %j', async (text) => {
    expect(await measureBase64(Buffer.from(text))).toBeUndefined();
  });

  it('of many megabytes leaves turns to others, before it is taken and while it is decoded [BX-27]', async () => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns += 1;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const raw = rawOf(randomBytes(12_000_000).toString('base64'));
    await measureBase64(raw);
    expect(turns).toBeGreaterThan(15);
    turns = 0;
    for await (const _ of decodeBase64(raw));
    expect(turns).toBeGreaterThan(200);
    isOver = true;
  });
});
