import { expect, it } from 'vitest';
import { describeRejections } from './describe-file.ts';
import { createWords } from './words.ts';

const plain = (text: string) => text.replaceAll(/[\u2068\u2069]/g, '');

it.each([
  [26_214_401, 26_214_400, 'a.png has 26,214,401 bytes; the limit is 26,214,400 bytes.'],
  [30_000_000, 26_214_400, 'a.png has 30 MB; the limit is 26.2 MB.'],
])('a file of %d bytes against a limit of %d is told apart from it', (actual, limit, text) => {
  expect(
    describeRejections([{ name: 'a.png', code: 'size', actual, limit, reason: '' }], createWords()).map(plain),
  ).toEqual([text]);
});
