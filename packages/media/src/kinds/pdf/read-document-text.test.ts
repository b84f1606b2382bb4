import { expect, it } from 'vitest';
import { cleanText } from './read-document-text.ts';

it('spells all line ends in one way', () => {
  expect(cleanText('a\r\nb\rc\fd\u2028e\n\n')).toBe('a\nb\nc\nd\ne');
});

it('drops what is neither a character nor a blank, and keeps a hyphen that the reader marks', () => {
  expect(cleanText('a\0\u0001\u001b\u007f\u0085\u009f\ufeff\uffff\tb')).toBe('a\n\tb');
  expect(cleanText('exam\ufffeple well\u0002known')).toBe('exam-ple well-known');
  expect(cleanText('日本語 🙂 é')).toBe('日本語 🙂 é');
});

it('finds no text in blanks', () => {
  expect(cleanText(' \r\n\t \u0000')).toBe('');
});
