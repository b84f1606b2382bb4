import { afterAll, describe, expect, it } from 'vitest';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { oldEncodings } from '../../worker/__fixtures__/old-encodings.ts';
import { makeTexts } from './__fixtures__/made-texts.ts';
import { decodeFile } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';

const isShort = process.env.ATTACHE_TEST_AMOUNT === 'few';
const LINES = isShort ? 100 : 400;

const folder = createTempFolder();
afterAll(folder.remove);

async function read(content: Uint8Array): Promise<{ text: string; isUnsure: boolean }> {
  const path = folder.write('text', content);
  const { facts, warnings } = await detectEncoding(path);
  const isUnsure = warnings.some(({ code }) => code === 'encoding_uncertain');
  if (facts === undefined) return { text: '', isUnsure };
  return { text: [...decodeFile(path, facts.encoding, facts.textFaults?.linesAs)].join(''), isUnsure };
}

describe('an older encoding', () => {
  it.each(oldEncodings)('is known by two or three lines of it: %s [SR-14 RP-08]', async (_, text, hex) => {
    expect((await read(Buffer.from(hex, 'hex'))).text).toBe(text);
  });

  it.each(oldEncodings)(
    'is known by many lines, with plain ones among them: %s [SR-14 RP-08]',
    async (_, text, hex) => {
      const lines = [Buffer.from(hex, 'hex'), Buffer.from(`\n2026-11-21 ok ${'-'.repeat(300)}\n`)];
      const content = Buffer.concat(
        Array.from({ length: LINES }, (_unused, index) => lines[index % 2] ?? Buffer.alloc(0)),
      );
      expect((await read(content)).text.startsWith(`${text}\n`)).toBe(true);
    },
  );
});

describe('a short text of each language and encoding', () => {
  const texts = makeTexts();
  const sample = isShort ? texts.filter((_, index) => index % 4 === 0) : texts;
  let right = 0;

  it.each(sample)('is right or said to be unsure: $encoding $language $form [BX-29 RP-08]', async ({ text, bytes }) => {
    const found = await read(bytes);
    const isRight = found.text === text;
    if (isRight) right += 1;
    expect(isRight || found.isUnsure, found.text.slice(0, 200)).toBe(true);
  });

  it('is right in all but six of a hundred, those in capitals included', () => {
    expect(texts.length).toBeGreaterThanOrEqual(400);
    expect(right / sample.length).toBeGreaterThanOrEqual(0.94);
  });
});
