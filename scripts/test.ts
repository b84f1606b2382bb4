import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  countTests,
  formatSummary,
  isFailedRun,
  listSkippedSuites,
  type ProjectResult,
  sumCounts,
  type VitestReport,
} from './test-report.ts';

// `npm test`: every vitest project in turn, cheap ones first; `npm test -- unit e2e` runs some of them.

const PROJECTS = ['unit', 'process', 'architecture', 'int', 'e2e', 'hostile', 'faults'];
const NOTHING_RUN: VitestReport = { testResults: [] };

const root = fileURLToPath(new URL('..', import.meta.url));
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const isCi = process.env.CI === 'true';

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !PROJECTS.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`There is no test project ${unknown.join(', ')}. Choose from: ${PROJECTS.join(', ')}.\n`);
  process.exitCode = 2;
} else {
  process.exitCode = await runProjects(wanted.length > 0 ? wanted : PROJECTS);
}

async function runProjects(projects: string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'attache-test-report-'));
  const results: ProjectResult[] = [];
  try {
    for (const [index, project] of projects.entries()) {
      process.stdout.write(`\n=== ${project} (${index + 1} of ${projects.length}) ===\n`);
      const result = await runProject(project, join(folder, `${project}.json`));
      if (typeof result === 'string') return 128 + constants.signals[result];
      results.push(result);
      process.stdout.write(`--- ${project}: ${(result.durationMs / 1000).toFixed(1)} s\n`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`\n${formatSummary(results, isCi).join('\n')}\n`);
  return isFailedRun(sumCounts(results), isCi) ? 1 : 0;
}

/** Runs one project; the signal, where one ended it. */
async function runProject(project: string, reportFile: string): Promise<ProjectResult | NodeJS.Signals> {
  const startedAt = performance.now();
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const ended = await runVitest(['run', '--project', project, '--passWithNoTests', ...reporters]);
  if (typeof ended === 'string') return ended;
  const report: VitestReport = existsSync(reportFile) ? JSON.parse(readFileSync(reportFile, 'utf8')) : NOTHING_RUN;
  return {
    project,
    durationMs: performance.now() - startedAt,
    exitCode: ended,
    counts: countTests(report),
    skippedSuites: listSkippedSuites(report).map((suite) => suite.replace(root, '')),
  };
}

/** The exit code of vitest, or the signal that it or this program got. */
function runVitest(args: string[]): Promise<number | NodeJS.Signals> {
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });
  let received: NodeJS.Signals | undefined;
  const forward = (signal: NodeJS.Signals) => {
    received = signal;
    child.kill(signal);
  };
  process.once('SIGTERM', forward).once('SIGINT', forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => {
      process.off('SIGTERM', forward).off('SIGINT', forward);
      resolve(received ?? signal ?? code ?? 1);
    });
  });
}
