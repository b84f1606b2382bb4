import type { ProjectRun } from './plan/projects.ts';
import type { ProjectResult } from './record/test-record.ts';

/**
 * Runs the projects of each lane one after the other, and both lanes at once. What is not plain waits for `prepare`, which begins at once, too.
 * Returns the results in the order of the runs; those that were not begun when `interrupted` fired are left out.
 */
export async function runLanes(
  runs: readonly ProjectRun[],
  run: {
    prepare(): Promise<void>;
    runProject(run: ProjectRun): Promise<ProjectResult>;
    interrupted: AbortSignal;
  },
): Promise<ProjectResult[]> {
  const isPlain = runs.every(({ project }) => project.isPlain);
  const prepared = isPlain ? Promise.resolve() : run.prepare();
  const results = new Map<ProjectRun, ProjectResult>();
  const runLane = async (lane: ProjectRun['project']['lane']) => {
    for (const each of runs.filter(({ project }) => project.lane === lane)) {
      if (!each.project.isPlain) await prepared;
      if (run.interrupted.aborted) return;
      results.set(each, await run.runProject(each));
    }
  };
  const ended = await Promise.allSettled([prepared, runLane('busy'), runLane('waiting')]);
  for (const end of ended) if (end.status === 'rejected') throw end.reason;
  return runs.flatMap((each) => results.get(each) ?? []);
}
