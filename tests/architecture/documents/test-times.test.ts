import { execFileSync, type StdioOptions } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';
import { findUntimed } from './find-untimed.ts';

const COMMITS = 10;

/** The files of the commit ten before this one; none if the history that is here is shorter. */
function listFilesBefore(): string[] {
  try {
    const args = ['ls-tree', '-r', '--name-only', `HEAD~${COMMITS}`];
    const stdio: StdioOptions = ['ignore', 'pipe', 'ignore'];
    return execFileSync('git', args, { cwd: repositoryRoot, encoding: 'utf8', stdio }).split('\n');
  } catch {
    return [];
  }
}

describe('tests/times.json', () => {
  const times = JSON.parse(readFileSync(join(repositoryRoot, 'tests/times.json'), 'utf8'));

  it(`knows every test file that is older than ${COMMITS} commits: each run adds what it lacks, to be committed`, () => {
    const files = listCodeFiles(repositoryRoot).filter((file) => /\.(test|spec)\.ts$/.test(file));
    expect(files.length).toBeGreaterThan(500);
    expect(findUntimed({ files, before: listFilesBefore(), times })).toEqual([]);
  });

  it('a file that is not in it is named once it is old enough', () => {
    const known = { files: { unit: { 'a.test.ts': 1 } } };
    const files = ['a.test.ts', 'planted.test.ts'];
    expect(findUntimed({ files, before: ['a.test.ts'], times: known })).toEqual([]);
    expect(findUntimed({ files, before: files, times: known })).toEqual(['planted.test.ts']);
  });
});
