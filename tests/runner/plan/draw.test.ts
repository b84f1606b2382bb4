import { describe, expect, it } from 'vitest';
import { drawOne, seedOf, shuffle } from './draw.ts';

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
    expect(drawOne(programs, 7)).toBe(drawOne(programs, 7));
    const drawn = Array.from({ length: 300 }, (_, seed) => drawOne(programs, seed));
    for (const program of programs) expect(drawn.filter((each) => each === program).length).toBeGreaterThan(25);
  });

  it('draws nothing from nothing', () => {
    expect(() => drawOne([], 1)).toThrow('nothing to draw');
  });
});
