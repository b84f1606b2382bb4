import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readOptions } from './read-options.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const read = (...args: string[]) => readOptions(args, { root, projects: ['unit', 'e2e'] });

describe('the arguments of a test run', () => {
  it('name projects, a commit, a seed and a budget', () => {
    expect(read()).toEqual({
      ...{ projects: [], files: [], since: undefined, seed: undefined, budgetMs: undefined },
      isKeepingTimes: false,
    });
    expect(read('e2e', 'unit', '--since', 'HEAD~1', '--seed', '42', '--budget', '20m', '--keep-times')).toEqual({
      ...{ projects: ['e2e', 'unit'], files: [], since: 'HEAD~1', seed: 42, budgetMs: 1_200_000 },
      isKeepingTimes: true,
    });
    expect([read('--budget', '90s').budgetMs, read('--budget', '1h').budgetMs]).toEqual([90_000, 3_600_000]);
  });

  it('name test files, beside projects', () => {
    const file = 'tests/runner/plan/read-options.test.ts';
    expect(read('unit', `./${file}`)).toMatchObject({ projects: ['unit'], files: [file] });
  });

  it.each([
    [['e3e'], 'There is no test project or file e3e. Choose from: unit, e2e; or name a test file.'],
    [['tests/no-such.test.ts'], 'There is no test project or file tests/no-such.test.ts.'],
    [['tests/runner/main.ts'], 'There is no test project or file tests/runner/main.ts.'],
    [['--seed', '-1'], /^(A seed is|Option '--seed)/],
    [['--seed', '1234567890'], 'A seed is a whole number of at most nine digits, not 1234567890.'],
    [['--budget', '20'], 'A budget is a number and a unit, such as 20m, not 20.'],
    [['--fast'], /npm test -- \[project or file …\]/],
  ])('%j are refused in a sentence', (args, sentence) => {
    expect(() => read(...args)).toThrow(sentence);
  });
});
