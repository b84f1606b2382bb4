import { expect, it } from 'vitest';
import { searchSecrets } from './find-secret.ts';

const SECRET = 'sk-live-0123456789';
const found = (secrets: string[], ...chunks: string[]) => {
  const search = searchSecrets(secrets);
  return chunks.map((chunk) => search.holds(Buffer.from(chunk))).includes(true);
};

it('finds a secret wherever chunks end [S27]', () => {
  const text = `before ${SECRET} after`;
  for (let first = 0; first <= text.length; first += 1)
    for (let second = first; second <= text.length; second += 1)
      expect(found([SECRET], text.slice(0, first), text.slice(first, second), text.slice(second))).toBe(true);
  expect(found([SECRET], ...text)).toBe(true);
  expect(found([SECRET], `before ${SECRET.slice(0, -1)}`, ' after')).toBe(false);
});

it('finds one as a text of JSON has it, and takes no short one for a secret', () => {
  const quoted = 'a"b\\c-0123456789';
  expect(found([quoted], JSON.stringify({ key: quoted }))).toBe(true);
  expect(found([SECRET, quoted], 'x', quoted, 'y')).toBe(true);
  expect(found(['1234567', ''], '1234567')).toBe(false);
  expect(found([], SECRET)).toBe(false);
});
