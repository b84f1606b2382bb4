import { describe, expect, it } from 'vitest';
import type { Project, ProjectRun } from './plan/projects.ts';
import type { ProjectResult } from './record/test-record.ts';
import { runLanes } from './run-lanes.ts';

const runOf = (name: string, lane: Project['lane'], isPlain = false): ProjectRun => ({
  project: { name, lane, isPlain },
  name,
});
const resultOf = ({ name }: ProjectRun): ProjectResult => ({
  ...{ project: name, durationMs: 1, exitCode: 0, files: [], unrunReasons: [] },
});
const never = new AbortController().signal;
const namesOf = (results: readonly ProjectResult[]) => results.map(({ project }) => project);

const runs = [runOf('unit', 'busy', true), runOf('int', 'waiting'), runOf('e2e', 'busy'), runOf('agents', 'waiting')];

describe('two lanes', () => {
  it('run at once, each in its order, and results come in the order of the runs', async () => {
    const begun: string[] = [];
    const ends = new Map(runs.map(({ name }) => [name, Promise.withResolvers<void>()]));
    const running = runLanes(runs, {
      prepare: async () => {},
      async runProject(run) {
        begun.push(run.name);
        // The last run of the other lane ends first.
        if (run.name === 'unit') await ends.get('agents')?.promise;
        ends.get(run.name)?.resolve();
        return resultOf(run);
      },
      interrupted: never,
    });
    expect(namesOf(await running)).toEqual(['unit', 'int', 'e2e', 'agents']);
    expect(begun).toEqual(['unit', 'int', 'agents', 'e2e']);
  });

  it('begin with what is plain, and with the rest once all is prepared', async () => {
    const prepared = Promise.withResolvers<void>();
    const begun: string[] = [];
    let begunBefore: string[] = [];
    const endPreparation = () => {
      begunBefore = [...begun];
      prepared.resolve();
    };
    await runLanes(runs, {
      prepare: () => prepared.promise,
      async runProject(run) {
        begun.push(run.name);
        if (run.name === 'unit') setImmediate(endPreparation);
        return resultOf(run);
      },
      interrupted: never,
    });
    expect(begunBefore).toEqual(['unit']);
    expect(begun).toHaveLength(4);
  });

  it('prepare nothing for what is plain', async () => {
    const prepare = () => Promise.reject(new Error('nothing to prepare'));
    const results = await runLanes(runs.slice(0, 1), {
      ...{ prepare, interrupted: never },
      runProject: async (run) => resultOf(run),
    });
    expect(namesOf(results)).toEqual(['unit']);
  });

  it('begin no other run once they are interrupted', async () => {
    const controller = new AbortController();
    const results = await runLanes(runs, {
      prepare: async () => {},
      async runProject(run) {
        controller.abort();
        return resultOf(run);
      },
      interrupted: controller.signal,
    });
    expect(namesOf(results)).toEqual(['unit']);
  });

  it('fail with what failed in one of them, once the other has ended', async () => {
    const ended: string[] = [];
    const running = runLanes(runs, {
      prepare: async () => {},
      async runProject(run) {
        if (run.name === 'unit') throw new Error('no disk');
        ended.push(run.name);
        return resultOf(run);
      },
      interrupted: never,
    });
    await expect(running).rejects.toThrow('no disk');
    expect(ended).toEqual(['int', 'agents']);
  });
});
