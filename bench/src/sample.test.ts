import { describe, expect, it } from 'vitest';
import { formatTable, inMs } from './result.ts';
import { median, percentile } from './sample.ts';

describe('percentiles', () => {
  it('are samples that were seen, in whatever order they came', () => {
    expect(median([30, 10, 20])).toBe(20);
    expect(median([4, 1, 3, 2])).toBe(2);
    expect(percentile([5, 4, 3, 2, 1], 0.95)).toBe(5);
    expect(percentile([7], 0.01)).toBe(7);
  });

  it('of nothing are refused', () => {
    expect(() => median([])).toThrow('no sample');
  });
});

describe('the table', () => {
  it('says what was held and what was missed, and nothing of what has no target', () => {
    const table = formatTable([
      { what: 'upload', figures: '2.00 x', target: '<= 3 x', isMissed: false },
      { what: 'memory', figures: '40 MB', target: '< 32 MB', isMissed: true },
      { what: 'ready', figures: inMs(12.345) },
    ]);
    expect(table.split('\n').map((line) => line.split(/ {2,}/))).toEqual([
      ['measured', 'figures', 'target'],
      ['--------', '-------', '-------', '------'],
      ['upload', '2.00 x', '<= 3 x', 'held'],
      ['memory', '40 MB', '< 32 MB', 'MISSED'],
      ['ready', '12.3 ms'],
      [''],
    ]);
  });
});
