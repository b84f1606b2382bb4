import { describe, expect, it } from 'vitest';
import { drawThird, seedOf, shuffle } from './draw.ts';

const programs = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('a seed', () => {
  it('is made from a commit, and is a number that can be typed', () => {
    const seed = seedOf('0123456789abcdef');
    expect(String(seed)).toMatch(/^\d{1,9}$/);
    expect(seedOf('0123456789abcdef')).toBe(seed);
    expect(seedOf('0123456789abcdee')).not.toBe(seed);
  });

  it('draws the same again, and every item in its turn', () => {
    expect(shuffle(programs, 7)).toEqual(shuffle(programs, 7));
    expect(shuffle(programs, 7).toSorted()).toEqual(programs);
    const seeds = Array.from({ length: 200 }, (_, index) => index);
    const drawn = seeds.flatMap((seed) => drawThird(programs, seed));
    expect(drawn).toHaveLength(400);
    for (const program of programs) expect(drawn.filter((each) => each === program).length).toBeGreaterThan(40);
  });

  it('draws a third, rounded down to one at least, in the order given', () => {
    expect(drawThird(['a'], 1)).toEqual(['a']);
    expect(drawThird(['a', 'b', 'c', 'd', 'e'], 1)).toHaveLength(1);
    expect(drawThird(programs, 3)).toEqual(drawThird(programs, 3).toSorted());
  });
});
