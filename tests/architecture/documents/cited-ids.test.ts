import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findStrayCitations } from '@attache/test-runner/check-citations';
import { readIds } from '@attache/test-runner/cited-ids';
import { readRequirements } from '@attache/test-runner/requirements';
import { describe, expect, it } from 'vitest';
import { listCodeFiles, repositoryRoot } from '../source/source-files.ts';
import { listCitingTitles } from './list-citing-titles.ts';

const requirements = readRequirements(readFileSync(join(repositoryRoot, 'tests/requirements.md'), 'utf8'));
const listed = requirements.map(({ id }) => id);

// Ids are in brackets in the titles of tests, contract suites and the suites that every program of an agent runs.
const isSuite = (file: string) => /\.(test|contract|spec)\.ts$|^tests\/agents\/src\/suites\//.test(file);
// Tests about ids cite some that there are not.
const isAboutIds = (file: string) => file.startsWith('tests/runner/');

const listSuites = () => listCodeFiles(repositoryRoot).filter((file) => isSuite(file) && !isAboutIds(file));

function readCitedIds(): Map<string, string[]> {
  const cited = new Map<string, string[]>();
  for (const file of listSuites())
    for (const id of readIds(readFileSync(join(repositoryRoot, file), 'utf8')))
      cited.set(id, [...(cited.get(id) ?? []), file]);
  return cited;
}

// Tests of which `npm test` runs only a part, another one for each commit: refused uploads, agents and kills. All others run whole, whatever the seed.
// One program of agents is always among them.
const drawn =
  /^tests\/(agents(?!\/programs\/pi\/)|faults|faults-hosted|takeover|generated-clients)\/|^packages\/database\/contract\/large\/|\/refused-uploads\.test\.ts$/;

describe('a requirement that is said to hold', () => {
  const cited = readCitedIds();

  it('has no double entry', () => {
    expect(listed.length).toBeGreaterThan(50);
    expect(new Set(listed).size).toBe(listed.length);
  });

  it.each(requirements)('$id names a test that proves it, of those that every run has', ({ proof }) => {
    expect(proof).toBeDefined();
    const { file = '' } = proof ?? {};
    expect(existsSync(join(repositoryRoot, file)), file).toBe(true);
    expect(file).not.toMatch(drawn);
  });

  it.each(listed)('%s is shown by a test that cites it', (id) => {
    expect(cited.has(id)).toBe(true);
  });

  // This covers every test, also those that a run does not draw.
  it('is all that tests cite, each in a title that says something of it', () => {
    expect(findStrayCitations(requirements, listSuites().flatMap(listCitingTitles))).toEqual([]);
  });
});
