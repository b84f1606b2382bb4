import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProjectResult } from './test-record.ts';

/** Seconds on a quiet machine: of whole runs of projects, and of each test file by the project that ran it. */
export type Times = {
  measuredOn: string;
  machine: string;
  projects: Record<string, number>;
  files: Record<string, Record<string, number>>;
};

export type Measurement = Pick<Times, 'measuredOn' | 'machine'>;

const toSeconds = (ms: number) => Math.round(ms / 10) / 100;

export function readTimes(path: string): Times | undefined {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
}

/** Keeps the times of projects that passed, and of their files that ran, instead of those kept before. */
export function keepTimes(path: string, results: readonly ProjectResult[], seen: Measurement): void {
  const times = readTimes(path);
  const projects = { ...times?.projects };
  const files = { ...times?.files };
  for (const result of results) {
    projects[result.project] = toSeconds(result.durationMs);
    files[result.project] = { ...files[result.project], ...timeFiles(result) };
  }
  writeTimes(path, { ...seen, projects, files });
}

/** Adds the rows that are missing, of files of which something passed, and drops those of files that are gone. Writes nothing if nothing changed. */
export function completeTimes(
  path: string,
  results: readonly ProjectResult[],
  { root, seen }: { root: string; seen: Measurement },
): void {
  const times = readTimes(path) ?? { ...seen, projects: {}, files: {} };
  const files: Times['files'] = {};
  for (const project of new Set([...Object.keys(times.files), ...results.map((result) => result.project)])) {
    const found = Object.assign({}, ...results.filter((each) => each.project === project).map(timeFiles));
    const rows = Object.entries({ ...found, ...times.files[project] } as Record<string, number>);
    files[project] = Object.fromEntries(rows.filter(([file]) => existsSync(join(root, file))));
  }
  writeTimes(path, { ...times, files });
}

function timeFiles({ files }: ProjectResult): Record<string, number> {
  const ran = files.filter(({ isBroken, tests }) => !isBroken && tests.some(({ state }) => state === 'passed'));
  return Object.fromEntries(ran.map(({ file, durationMs }) => [file, toSeconds(durationMs)]));
}

// Sorted, so that a row more is one line of a change.
function writeTimes(path: string, { measuredOn, machine, projects, files }: Times): void {
  const sort = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const sorted = Object.entries(sort(files)).map(([project, rows]) => [project, sort(rows)] as const);
  const filled = sorted.filter(([, rows]) => Object.keys(rows).length > 0);
  const text = `${JSON.stringify({ measuredOn, machine, projects: sort(projects), files: Object.fromEntries(filled) }, null, 1)}\n`;
  if (!existsSync(path) || readFileSync(path, 'utf8') !== text) writeFileSync(path, text);
}

/** The time of each project, its kept time, and the difference. */
export function formatDrift(results: readonly ProjectResult[], kept: Times | undefined): string[] {
  const before = ({ project }: ProjectResult) => kept?.projects[project];
  const rows = results.map((result) => formatRow(result.project, result.durationMs / 1000, before(result)));
  return ['project             now      kept   drift', ...rows];
}

function formatRow(name: string, now: number, before: number | undefined): string {
  const drift = before === undefined ? 'new' : `${now >= before ? '+' : ''}${Math.round((now / before - 1) * 100)} %`;
  const kept = before === undefined ? '' : `${before.toFixed(1)} s`;
  return `${name.padEnd(14)}${now.toFixed(1).padStart(7)} s ${kept.padStart(9)} ${drift.padStart(7)}`;
}
