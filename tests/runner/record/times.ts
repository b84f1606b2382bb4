import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import type { FileRecord, ProjectResult } from './test-record.ts';

/** Seconds of one whole run on a quiet machine, by project, file and test. Tests of less than 10 ms are left out. */
export type Times = {
  measuredOn: string;
  machine: string;
  projects: Record<string, ProjectTimes>;
};

export type ProjectTimes = { seconds: number; files: Record<string, FileTimes> };
type FileTimes = { seconds: number; tests: Record<string, number> };

const SHORTEST_MS = 10;

const toSeconds = (ms: number) => Math.round(ms / 10) / 100;

export function readTimes(path: string): Times | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Keeps the times of projects that passed, beside those of the projects that did not run. */
export function keepTimes(
  path: string,
  results: readonly ProjectResult[],
  seen: Pick<Times, 'measuredOn' | 'machine'>,
): void {
  const projects = { ...readTimes(path)?.projects };
  for (const result of results) projects[result.project] = timeProject(result);
  writeFileSync(path, `${JSON.stringify({ ...seen, projects }, null, 1)}\n`);
}

function timeProject({ durationMs, files }: ProjectResult): ProjectTimes {
  const named = files
    .toSorted((a, b) => a.file.localeCompare(b.file))
    .map((file) => [file.file, timeFile(file)] as const);
  return { seconds: toSeconds(durationMs), files: Object.fromEntries(named) };
}

function timeFile({ durationMs, tests }: FileRecord): FileTimes {
  const slow = tests.filter((test) => test.durationMs >= SHORTEST_MS);
  return {
    seconds: toSeconds(durationMs),
    tests: Object.fromEntries(slow.map((test) => [test.name, toSeconds(test.durationMs)])),
  };
}

/** What each project took, what it took when its times were kept, and by how much that differs. */
export function formatDrift(results: readonly ProjectResult[], kept: Times | undefined): string[] {
  const rows = results.map(({ project, durationMs }) => {
    const before = kept?.projects[project]?.seconds;
    return formatRow(project, durationMs / 1000, before);
  });
  const timed = results.filter(({ project }) => kept?.projects[project] !== undefined);
  const now = timed.reduce((sum, { durationMs }) => sum + durationMs / 1000, 0);
  const before = timed.reduce((sum, { project }) => sum + (kept?.projects[project]?.seconds ?? 0), 0);
  return ['project             now      kept   drift', ...rows, formatRow('all of these', now, before || undefined)];
}

function formatRow(name: string, now: number, before: number | undefined): string {
  const drift = before === undefined ? 'new' : `${now >= before ? '+' : ''}${Math.round((now / before - 1) * 100)} %`;
  const kept = before === undefined ? '' : `${before.toFixed(1)} s`;
  return `${name.padEnd(14)}${now.toFixed(1).padStart(7)} s ${kept.padStart(9)} ${drift.padStart(7)}`;
}
