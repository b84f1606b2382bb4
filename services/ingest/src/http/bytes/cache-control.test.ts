import { expect, it } from 'vitest';
import { formatCacheControl, isLastingType } from './cache-control.ts';

it('what lasts is kept until its URL ends, at most a year, and is not asked for again', () => {
  expect(formatCacheControl(true, 1_900, 1_000)).toBe('private, max-age=900, immutable');
  expect(formatCacheControl(true, 1_900, 1_000.9)).toBe('private, max-age=899, immutable');
  expect(formatCacheControl(true, 1_000, 1_001)).toBe('private, max-age=0, immutable');
  expect(formatCacheControl(true, 1e9, 1_000)).toBe('private, max-age=31536000, immutable');
});

it('what may change is asked for again each time', () => {
  expect(formatCacheControl(false, 1_900, 1_000)).toBe('private, no-cache');
});

it.each([
  ['image/png', null, true],
  ['video/mp4', null, true],
  ['application/pdf', null, true],
  ['text/plain', 'utf-8', false],
  ['image/svg+xml', 'utf-8', false],
  ['text/plain', null, false],
  // Somebody may name the encoding in which it is a text.
  ['application/octet-stream', null, false],
] as const)('%s in the encoding %s lasts: %s', (mimeType, encoding, isLasting) => {
  expect(isLastingType(mimeType, encoding)).toBe(isLasting);
});
