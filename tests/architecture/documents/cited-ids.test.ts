import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';

const listed = [
  ...readFileSync(join(repositoryRoot, 'tests/requirements.md'), 'utf8').matchAll(/^\| ([A-Z]{1,2}-?\d+) \|/gm),
].map(([, id = '']) => id);

// Ids stand in brackets in the titles of tests, contract suites and the suites that every program of an agent runs.
function readCitedIds(): Set<string> {
  const suites = listCodeFiles(repositoryRoot).filter((file) =>
    /\.(test|contract|spec)\.ts$|^tests\/agents\/src\/suites\//.test(file),
  );
  const texts = suites.map((file) => readFileSync(join(repositoryRoot, file), 'utf8'));
  const groups = texts.flatMap((text) => [...text.matchAll(/\[((?:[A-Z]{1,2}-?\d+[ ]?)+)\]/g)]);
  return new Set(groups.flatMap(([, ids = '']) => ids.split(' ')));
}

describe('a requirement that is said to hold', () => {
  const cited = readCitedIds();

  it('has no double entry', () => {
    expect(listed.length).toBeGreaterThan(50);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it.each(listed)('%s is shown by a test that cites it', (id) => {
    expect(cited.has(id)).toBe(true);
  });
});
