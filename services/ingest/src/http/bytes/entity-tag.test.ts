import { expect, it } from 'vitest';
import { formatEntityTag, namesEntityTag } from './entity-tag.ts';

const sha256 = 'a'.repeat(64);
const tag = formatEntityTag(sha256, 'text/plain; charset=utf-8');

it('is strong, and the same for the same bytes under the same type alone', () => {
  expect(tag).toMatch(/^"[\w-]+"$/);
  expect(formatEntityTag(sha256, 'text/plain; charset=utf-8')).toBe(tag);
  for (const [digest, type] of [
    [sha256, 'text/plain; charset=cp850'],
    [sha256, 'text/plain'],
    ['b'.repeat(64), 'text/plain; charset=utf-8'],
  ] as const)
    expect(formatEntityTag(digest, type)).not.toBe(tag);
});

it.each([
  [tag, true],
  [`W/${tag}`, true],
  [`"other", ${tag}`, true],
  ['*', true],
  ['"other"', false],
  [undefined, false],
])('If-None-Match %s names it: %s', (header, isNamed) => {
  expect(namesEntityTag(header, tag)).toBe(isNamed);
});
