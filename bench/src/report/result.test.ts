import { describe, expect, it } from 'vitest';
import {
  compare,
  describeMisses,
  formatMarkdown,
  formatTable,
  isMissed,
  isOnTheLine,
  type Result,
  ratioOf,
} from './result.ts';
import { summarise } from './sample.ts';

const upload = compare(
  { what: 'upload', unit: 'ms', target: { of: 'ratio', atMost: 1.5 } },
  { product: [30, 20, 10], floor: [8, 10, 12], least: [4, 5, 6] },
);
const memory: Result = {
  what: 'memory',
  unit: 'MB',
  product: summarise([20]),
  target: { of: 'product', atMost: 32 },
};
const rate = compare(
  { what: 'rate', unit: 'per s', target: { of: 'ratio', atLeast: 0.75 } },
  { product: [150], floor: [100] },
);

describe('a result', () => {
  it('holds the middle figure against the middle figure of the floor', () => {
    expect(ratioOf(upload)).toBe(2);
    expect(isMissed(upload)).toBe(true);
    expect(isMissed(rate)).toBe(false);
    expect(isMissed({ ...rate, target: { of: 'ratio', atLeast: 2 } })).toBe(true);
  });

  it('may hold against a figure of its own', () => {
    expect(isMissed(memory)).toBe(false);
    expect(isMissed({ ...memory, target: { of: 'product', atMost: 19 } })).toBe(true);
  });

  it('without a target is never missed, and a target of a ratio without a floor is a mistake', () => {
    expect(isMissed({ ...memory, target: undefined })).toBe(false);
    expect(() => isMissed({ ...memory, target: { of: 'ratio', atMost: 1 } })).toThrow('nothing to hold it against');
  });

  it('within a twentieth of its bound is on the line, on whichever side', () => {
    const of = (p50: number) => ({ ...memory, product: summarise([p50]) });
    expect([30.3, 30.5, 32, 33.5, 33.7].map((p50) => isOnTheLine(of(p50)))).toEqual([false, true, true, true, false]);
    expect(isOnTheLine({ ...memory, target: undefined })).toBe(false);
    expect(formatTable([of(31)])).toContain('held, on the line');
    expect(formatTable([of(33)])).toContain('MISSED, on the line');
  });

  it('may promise a ratio to the least durable besides: either can be missed', () => {
    const of = (atMost: number) => ({
      ...upload,
      target: { of: 'ratio', atMost: 3 } as const,
      leastTarget: { atMost },
    });
    expect([isMissed(of(5)), isMissed(of(3.5))]).toEqual([false, true]);
    expect([isOnTheLine(of(4.1)), isOnTheLine(of(5))]).toEqual([true, false]);
    expect(formatTable([of(3.9)])).toMatch(/≤ 3 ×; ≤ 3.9 × least +held; MISSED, on the line\n/);
    expect(describeMisses([of(3.5)])).toEqual(['Missed: upload: 4.00 × least, target ≤ 3.5 × least']);
    expect(() => isMissed({ ...memory, leastTarget: { atMost: 1 } })).toThrow('nothing to hold it against');
  });

  it('that is no number is missed', () => {
    expect(isMissed({ ...memory, product: summarise([Number.NaN]) })).toBe(true);
  });
});

describe('the table', () => {
  it('says what was held and what was missed, and nothing of what has no target', () => {
    const table = formatTable([upload, memory, { ...memory, target: undefined }]);
    expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['measured', 'product', 'floor', 'ratio', 'least durable', 'ratio', 'target'],
      Array(8).fill(expect.stringMatching(/^-+$/)),
      [
        ...['upload (p50 of 3)', '20.0 ms (10.0–30.0)', '10.0 ms (8.00–12.0)', '2.00 ×'],
        ...['5.00 ms (4.00–6.00)', '4.00 ×', '≤ 1.5 ×', 'MISSED'],
      ],
      ['memory', '20.0 MB', '≤ 32 MB', 'held'],
      ['memory', '20.0 MB'],
      [''],
    ]);
  });

  it('is the same in Markdown', () => {
    expect(formatMarkdown([upload]).split('\n')).toEqual([
      '| measured | product | floor | ratio | least durable | ratio | target | |',
      '| --- | --- | --- | --- | --- | --- | --- | --- |',
      '| upload (p50 of 3) | 20.0 ms (10.0–30.0) | 10.0 ms (8.00–12.0) | 2.00 × | 5.00 ms (4.00–6.00) | 4.00 × | ≤ 1.5 × | MISSED |',
    ]);
  });

  it('is followed by a sentence for each miss', () => {
    expect(describeMisses([upload, memory])).toEqual(['Missed: upload: 2.00 ×, target ≤ 1.5 ×']);
  });
});
