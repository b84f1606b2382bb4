import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createEventSkip } from './event-skip.ts';
import { usageFields, usageMarks, type Wanted } from './usage-fields.ts';

const mark = Buffer.from('usage');

/** The rest of a text after everything that may be passed over. */
const skip = (text: string): string => text.slice(createEventSkip(Buffer.from(text), [mark])(0));

it.each([
  ['whole events', 'data: a\n\ndata: b\n\n', ''],
  ['what is behind the last of them', 'data: a\n\ndata: b', 'data: b'],
  ['an event with a mark', 'data: a\n\ndata: usage\n\ndata: c\n\n', 'data: usage\n\ndata: c\n\n'],
  ['events that end with CR and LF', 'data: a\r\n\r\ndata: b\r\n', 'data: b\r\n'],
  ['events that end with CR', 'data: a\r\rdata: b\r\r', 'data: a\r\rdata: b\r\r'],
  ['an event alone that has not ended', 'data: a\n', 'data: a\n'],
  ['nothing', '', ''],
])('leaves %s', (_, text, left) => {
  expect(skip(text)).toBe(left);
});

it('leaves each event with a mark, wherever it is asked from', () => {
  const event = fc.constantFrom(
    'data: a\n\n',
    'data: usage\n\n',
    'usage\r\n\r\n',
    'event: b\r\ndata: b\r\n\r\n',
    '\n\n',
  );
  fc.assert(
    fc.property(fc.array(event, { maxLength: 20 }), (events) => {
      const chunk = Buffer.from(events.join(''));
      const findSkip = createEventSkip(chunk, [mark]);
      let at = 0;
      let found = 0;
      for (let n = 0; n < events.length; n += 1) {
        const next = findSkip(at);
        expect(chunk.subarray(at, next).includes(mark)).toBe(false);
        at = next;
        if (at === chunk.length) break;
        const end = chunk.indexOf('usage', at);
        const ends = ['\n\n', '\r\n\r\n'].map((each) => chunk.indexOf(each, end) + each.length);
        expect(end).toBeGreaterThanOrEqual(at);
        found += 1;
        at = Math.min(...ends.filter((each) => each > end));
      }
      expect(found).toBe(events.filter((each) => each.includes('usage')).length);
    }),
  );
});

it('has a mark in a key on each way to a count', () => {
  const listWays = (wanted: Wanted, way: string[] = []): string[][] =>
    Object.entries(wanted).flatMap(([key, inside]) =>
      typeof inside === 'string' ? [[...way, key]] : listWays(inside, [...way, key]),
    );
  const ways = Object.values(usageFields).flatMap((wanted) => listWays(wanted));
  expect(ways.length).toBeGreaterThan(10);
  for (const way of ways)
    expect(way.some((key) => usageMarks.some((each) => key.includes(each.toString())))).toBe(true);
});
