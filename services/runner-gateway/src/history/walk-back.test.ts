import { expect, it } from 'vitest';
import { walkBack } from './walk-back.ts';

it.each([1, 999, 1_000, 1_001, 2_000, 63_999, 64_000])(
  'walks through a log of %i events once, from its end to its beginning',
  (lastSeq) => {
    const stretches = [...walkBack(lastSeq)];
    expect(stretches[0]?.beforeSeq).toBe(lastSeq + 1);
    for (const [index, { fromSeq, isFirst }] of stretches.entries()) {
      expect(stretches[index + 1]?.beforeSeq ?? 1).toBe(fromSeq);
      expect(isFirst).toBe(index === stretches.length - 1);
    }
  },
);

it('has nothing to walk through where nothing happened', () => expect([...walkBack(0)]).toEqual([]));

it('looks at 64,000 events of a very long log, each time at twice as many', () => {
  const stretches = [...walkBack(10_000_000)];
  expect(stretches.map(({ fromSeq, beforeSeq }) => beforeSeq - fromSeq).slice(0, 4)).toEqual([
    1_000, 1_000, 2_000, 4_000,
  ]);
  expect(10_000_000 + 1 - (stretches.at(-1)?.fromSeq ?? 0)).toBe(64_000);
  expect(stretches.some(({ isFirst }) => isFirst)).toBe(false);
});
