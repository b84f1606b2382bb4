import { expect, it } from 'vitest';
import { checkRelease } from './check-release.ts';

const ready = { status: '', changelog: '# Changelog\n\n## 0.2.0 – 2026-05-04\n', versions: ['0.2.0', '0.2.0'] };

it('a clean tree whose version has an entry can be released', () => {
  expect(checkRelease(ready)).toEqual([]);
});

it.each([
  ['changes that are not committed', { status: ' M README.md\n' }, 'not committed'],
  ['no entry', { changelog: '## 0.1.0 – 2026-01-01\n' }, 'no entry `## 0.2.0'],
  ['an entry without a day', { changelog: '## 0.2.0 – unreleased\n' }, 'no entry `## 0.2.0'],
  ['different versions', { versions: ['0.2.0', '0.1.0'] }, 'different versions'],
])('%s: it cannot', (_, change, reason) => {
  expect(checkRelease({ ...ready, ...change })).toEqual([expect.stringContaining(reason)]);
});
