import { describe, expect, it } from 'vitest';
import { interleave, median, percentile, summarise, within } from './sample.ts';

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

  it('come with both ends', () => {
    expect(summarise([30, 10, 20])).toEqual({ p50: 20, min: 10, max: 30, count: 3 });
  });
});

describe('interleaved rounds', () => {
  it('take the sides in turn, first one then the other, and leave out what only warms', async () => {
    const order: string[] = [];
    const take = (side: string) => async (round: number) => {
      order.push(`${side}${round}`);
      return round;
    };
    const samples = await interleave({ warm: 1, counted: 2 }, { floor: take('f'), product: take('p') });
    expect(order).toEqual(['p-1', 'f-1', 'f0', 'p0', 'p1', 'f1']);
    expect(samples).toEqual({ floor: [0, 1], product: [0, 1] });
  });
});

describe('waiting', () => {
  it('gives what comes in time and names what does not', async () => {
    expect(await within(1_000, 'it', Promise.resolve(7))).toBe(7);
    await expect(within(1, 'the answer', new Promise(() => {}))).rejects.toThrow('the answer did not come');
  });
});
