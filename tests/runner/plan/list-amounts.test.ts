import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { findAmounts, listAmounts } from './list-amounts.ts';

const root = fileURLToPath(new URL('../../..', import.meta.url));

describe('tests whose amount can be chosen', () => {
  it('read the variable, or import what reads it, also by way of a contract suite', () => {
    const texts = {
      'a.test.ts': 'process.env.ATTACHE_TEST_AMOUNT',
      'inner.contract.ts': 'process.env.ATTACHE_TEST_AMOUNT',
      'outer.contract.ts': "import { inner } from './inner.contract.ts';",
      'b.process.test.ts': "import { outer } from './outer.contract.ts';",
      'options.ts': 'process.env.ATTACHE_TEST_AMOUNT',
      'c.spec.ts': "import { options } from '../options.ts';",
      'other.contract.ts': "import { other } from './no-options.ts';",
      'd.test.ts': "import { other } from './other.contract.ts';",
    };
    expect(findAmounts(new Map(Object.entries(texts)))).toEqual(['a.test.ts', 'b.process.test.ts', 'c.spec.ts']);
  });

  it('are found in the repository, those of contract suites and of kills too', () => {
    expect(listAmounts(root)).toEqual(
      expect.arrayContaining([
        'packages/domain/src/replay/replay-log.test.ts',
        'packages/projections/src/anthropic/project-to-anthropic.test.ts',
        'tests/faults/kill.test.ts',
        'tests/takeover/placement.test.ts',
        'tests/takeover/takeover.test.ts',
      ]),
    );
  });
});
