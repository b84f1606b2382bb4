import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readProjectFinder } from './find-projects.ts';
import { keepReached, narrowRuns } from './narrow-runs.ts';
import { type ProjectRun, projects } from './projects.ts';

const find = await readProjectFinder(fileURLToPath(new URL('../../..', import.meta.url)));
const runs: ProjectRun[] = projects.map((project) => ({ project, name: project.name }));
const filesOf = (narrowed: readonly ProjectRun[]) => narrowed.map(({ name, files }) => [name, files]);

const beside = 'tests/runner/plan/narrow-runs.test.ts';
const endToEnd = 'tests/e2e/deliveries/main-job.test.ts';

describe('the projects of a test file', () => {
  it('are those whose patterns of vitest.config.ts it matches', () => {
    expect(find(beside)).toEqual(['unit']);
    expect(find(endToEnd)).toEqual(['e2e', 'e2e-hosted']);
    expect(find('infra/stack.long.test.ts')).toEqual(['long']);
    expect(find('tests/runner/interrupt.process.test.ts')).toEqual(['process']);
    expect(find('tests/runner/main.ts')).toEqual([]);
  });

  it('run with the named files alone, and no other project runs', () => {
    expect(filesOf(narrowRuns(runs, [beside, endToEnd], find))).toEqual([
      ['unit', [beside]],
      ['e2e', [endToEnd]],
      ['e2e-hosted', [endToEnd]],
    ]);
  });

  it('of agents drive the programs whose files are named', () => {
    const file = 'tests/agents/programs/pi/cells.test.ts';
    expect(narrowRuns(runs, [file], find)).toMatchObject([
      { name: 'agents', files: [file], environment: { ATTACHE_TEST_PROOFS: file } },
    ]);
  });

  it('run what a change reaches of what they would run; the whole tree is read in any case', () => {
    const limited = runs.map((run) => (run.name === 'e2e-hosted' ? { ...run, files: [] } : run));
    expect(filesOf(keepReached(limited, [endToEnd], find))).toEqual([
      ['architecture', undefined],
      ['e2e', [endToEnd]],
    ]);
  });
});
