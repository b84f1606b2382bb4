import { expect, it } from 'vitest';
import { createKeyMask } from './mask-key.ts';

const key = 'sk-key-of-the-operator';
const stars = '*'.repeat(key.length);

/** The pieces that a program gets of an answer in these chunks. */
function mask(chunks: readonly string[], ofKey: string | undefined = key): string[] {
  const masked = createKeyMask(ofKey);
  const pieces = chunks.map((chunk) => masked.take(Buffer.from(chunk, 'latin1')).toString('latin1'));
  return [...pieces, masked.end().toString('latin1')];
}

it('takes a key out of an answer wherever that is cut, and changes no length [A18 BX-24]', () => {
  const answer = `data: {"error":"no rights of ${key}${key}, sk-key-of-the-operators and sk-key"}\n\ndata: sk-`;
  const expected = answer.replaceAll(key, stars);
  for (let cut = 0; cut <= answer.length; cut += 1) {
    const pieces = mask([answer.slice(0, cut), answer.slice(cut)]);
    expect(pieces.join('')).toBe(expected);
  }
  expect(mask([...answer]).join('')).toBe(expected);
});

it('holds nothing back but what may be the beginning of a key', () => {
  expect(mask(['data: one\n\n', 'data: sk-ke', 'ys\n\n'])).toEqual(['data: one\n\n', 'data: ', 'sk-keys\n\n', '']);
  const chunk = Buffer.from('data: as it came');
  expect(createKeyMask(key).take(chunk).buffer).toBe(chunk.buffer);
});

it('finds a key that repeats itself', () => {
  const repeated = 'abababababab';
  for (const text of [`ab${repeated}ab`, `${repeated}${repeated}`, `x${repeated.slice(0, 11)}c`]) {
    const whole = mask([text], repeated).join('');
    expect(mask([...text], repeated).join('')).toBe(whole);
    expect(whole).not.toContain(repeated);
  }
});

it('takes it out of headers, and takes a word for no key', () => {
  expect(createKeyMask(key).maskHeader(`Bearer ${key}, again ${key}`)).toBe(`Bearer ${stars}, again ${stars}`);
  expect(mask(['the word none is none'], 'none').join('')).toBe('the word none is none');
  expect(createKeyMask(undefined).maskHeader('none')).toBe('none');
});
