import type { ProjectRun } from './projects.ts';

type FindProjects = (file: string) => string[];

/** The runs to which these files belong, with these files alone. */
export function narrowRuns(runs: readonly ProjectRun[], files: readonly string[], find: FindProjects): ProjectRun[] {
  return runs.flatMap((run) => {
    const own = files.filter((file) => find(file).includes(run.project.name));
    if (own.length === 0) return [];
    // A program that was not drawn is driven if its file is named.
    const environment = { ...run.environment, ...(run.project.hasAgents && { ATTACHE_TEST_PROOFS: own.join(',') }) };
    return [{ ...run, files: own, environment }];
  });
}

/** The rest of the runs if a change reaches these files alone. A project that reads the whole tree stays whole. */
export function keepReached(runs: readonly ProjectRun[], reached: readonly string[], find: FindProjects): ProjectRun[] {
  return runs.flatMap((run) => {
    if (run.project.readsTree) return [run];
    const { files } = run;
    return narrowRuns([run], files === undefined ? reached : reached.filter((file) => files.includes(file)), find);
  });
}
