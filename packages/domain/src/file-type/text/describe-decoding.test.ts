import { expect, it } from 'vitest';
import { describeDecoding } from './describe-decoding.ts';

it.each([
  ['utf-8', undefined, 'The byte order mark is left out.'],
  ['cp850', undefined, 'Decoded from cp850 to UTF-8.'],
  ['utf-8', { replaced: 1 }, '1 place that is no text replaced by U+FFFD.'],
  ['utf-8', { replaced: 0, otherLines: 3, linesAs: 'cp850' }, '3 lines in another encoding decoded from cp850.'],
  ['cp850', { replaced: 2 }, 'Decoded from cp850 to UTF-8. 2 places that are no text replaced by U+FFFD.'],
])('says of %s with %j: %s', (encoding, faults, words) => {
  expect(describeDecoding(encoding, faults)).toBe(words);
});
