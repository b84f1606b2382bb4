import fc from 'fast-check';
import { expect, it } from 'vitest';
import { mayHoldFiles } from './may-hold-files.ts';
import { takeOutMedia } from './take-out.ts';

const prose = 'The quick brown fox jumps over the lazy dog, and nobody minds. ';

it('is false for words, and true for a data URL anywhere in them', () => {
  expect(mayHoldFiles(prose.repeat(2000))).toBe(false);
  expect(mayHoldFiles(`${prose.repeat(2000)}data:image/svg+xml,%3Csvg%3E`)).toBe(true);
  expect(mayHoldFiles('')).toBe(false);
});

it('is true wherever a file is taken out of base64, in lines or not', () => {
  const head = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
  fc.assert(
    fc.property(
      fc.nat(90),
      fc.integer({ min: 300, max: 900 }),
      fc.constantFrom(0, 48, 60, 64, 76),
      (before, length, width) => {
        const base64 = Buffer.concat([head, Buffer.alloc(length, 7)]).toString('base64');
        const spelled = width === 0 ? base64 : base64.replaceAll(new RegExp(`.{${width}}`, 'g'), '$&\n');
        const text = `${prose.repeat(2).slice(0, before)} ${spelled} ${prose}`;
        expect(takeOutMedia(text).some((piece) => typeof piece !== 'string')).toBe(true);
        expect(mayHoldFiles(text)).toBe(true);
      },
    ),
    { numRuns: 60 },
  );
});
