import { describe, expect, it } from 'vitest';
import { formatFailure, type TestFailure } from './format-failure.ts';

const failure: TestFailure = {
  name: 'an upload > is kept [AT-02]',
  place: 'tests/e2e/a.test.ts:12',
  errors: [{ name: 'AssertionError', message: 'expected 503 to be 201', diff: '\u001b[32m- 201\u001b[39m\n+ 503' }],
  log: ['attache: one', 'attache: two'],
  repeat: 'npm test -- e2e --seed 7',
};
const manyLines = (count: number) => Array.from({ length: count }, (_, index) => `line ${index}`);

describe('a failed test', () => {
  it('is told with what was expected, how to repeat it and what the stack said last', () => {
    expect(formatFailure(failure)).toEqual([
      'FAILED an upload > is kept [AT-02]',
      '  at tests/e2e/a.test.ts:12',
      '  AssertionError: expected 503 to be 201',
      '  - 201',
      '  + 503',
      '  again: npm test -- e2e --seed 7',
      '  the stack said last:',
      '    attache: one',
      '    attache: two',
    ]);
  });

  it('takes at most forty lines, and none of them grows without end', () => {
    const message = manyLines(500).join('\n');
    const lines = formatFailure({
      ...failure,
      errors: [{ message }],
      log: manyLines(100).map((line) => line.repeat(99)),
    });
    expect(lines).toHaveLength(40);
    expect(lines.join('\n')).toContain('lines left out');
    expect(lines.slice(2, 4)).toEqual(['  Error: line 0', '  line 1']);
    expect(lines.find((line) => line.includes('line 499'))).toBe('  line 499');
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(240);
  });

  it('names its causes', () => {
    const cause = { name: 'Fault', message: 'the store is away', cause: new Error('ECONNREFUSED') };
    expect(
      formatFailure({ ...failure, errors: [{ message: 'no answer', cause }], log: [], repeat: '' }).slice(2),
    ).toEqual([
      '  Error: no answer',
      '  caused by Fault: the store is away',
      '  caused by caused by Error: ECONNREFUSED',
    ]);
  });
});
