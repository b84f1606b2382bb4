import { afterAll, describe, expect, it } from 'vitest';
import { createTempFolder } from '../../__fixtures__/temp-folder.ts';
import { oldEncodings } from '../../worker/__fixtures__/old-encodings.ts';
import { decodeFile } from './decode-file.ts';
import { detectEncoding } from './detect-encoding.ts';
import { rankEncodings } from './rank-encodings.ts';

const LINES = process.env.ATTACHE_TEST_AMOUNT === 'few' ? 100 : 400;

const folder = createTempFolder();
afterAll(folder.remove);

function readAs(content: Uint8Array): string {
  const path = folder.write('text', content);
  return [...decodeFile(path, detectEncoding(path)?.encoding ?? '')].join('');
}

describe('an older encoding', () => {
  it.each(oldEncodings)('is known by two or three lines of it: %s [SR-14 RP-08]', (_, text, hex) => {
    expect(readAs(Buffer.from(hex, 'hex'))).toBe(text);
  });

  it.each(oldEncodings)('is known by many lines, with plain ones among them: %s [SR-14 RP-08]', (_, text, hex) => {
    const lines = [Buffer.from(hex, 'hex'), Buffer.from(`\n2026-11-21 ok ${'-'.repeat(300)}\n`)];
    const content = Buffer.concat(
      Array.from({ length: LINES }, (_unused, index) => lines[index % 2] ?? Buffer.alloc(0)),
    );
    expect(readAs(content).startsWith(`${text}\n`)).toBe(true);
  });
});

describe('the order of encodings', () => {
  it('keeps a guess that nothing speaks for, behind the others, and leaves out names that are not known', () => {
    const ranked = rankEncodings(Buffer.from('Größe', 'latin1'), [
      { name: 'KOI8-R', confidence: 30 },
      { name: 'ISO-2022-CN', confidence: 30 },
    ]);
    expect(ranked).toEqual(['windows-1252', 'koi8-r']);
  });

  it('is that of the guesses where two say the same', () => {
    const guesses = [
      { name: 'ISO-8859-1', confidence: 40 },
      { name: 'ISO-8859-2', confidence: 60 },
    ];
    const sample = Buffer.from('Größe', 'latin1');
    expect(rankEncodings(sample, guesses)[0]).toBe('iso-8859-2');
    expect(rankEncodings(sample, [...guesses.slice(0, 1)])[0]).toBe('windows-1252');
  });
});
