import { describe, expect, it } from 'vitest';
import { parseRange } from './parse-range.ts';

describe('a Range header on 100 bytes [AT-22]', () => {
  it.each([
    ['bytes=0-9', { start: 0, end: 9 }],
    ['Bytes=0-9', { start: 0, end: 9 }],
    ['bytes=90-', { start: 90, end: 99 }],
    ['bytes=-10', { start: 90, end: 99 }],
    ['bytes=0-1000', { start: 0, end: 99 }],
    ['bytes=-1000', { start: 0, end: 99 }],
    ['bytes=99-99', { start: 99, end: 99 }],
  ])('%s is one range', (header, range) => {
    expect(parseRange(header, 100)).toEqual(range);
  });

  it.each([
    undefined,
    'bytes=0-1,3-4',
    'pages=1-2',
    'bytes=9-3',
    'bytes=',
    'bytes=-',
    'bytes=a-b',
    'bytes=0x1-2',
    'bytes',
    'bytes=1-2-3',
  ])('%s sends the whole', (header) => {
    expect(parseRange(header, 100)).toBeUndefined();
  });

  it.each(['bytes=100-', 'bytes=-0', `bytes=${'9'.repeat(40)}-`])('%s is refused', (header) => {
    expect(() => parseRange(header, 100)).toThrow(/does not lie within/);
  });
});
