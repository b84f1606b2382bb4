import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureAgents } from '@attache/infra/agents/ensure-agents';
import { findAgents } from '@attache/infra/agents/find-agents';
import { findServers } from '@attache/infra/find-servers';
import { cacheFolderOf } from '@attache/infra/native/find-or-build-server';
import {
  countTests,
  countUnrun,
  formatMissingServers,
  formatSummary,
  isFailedRun,
  listSkippedSuites,
  type MissingServer,
  type ProjectResult,
  sumCounts,
  type VitestReport,
} from './test-report.ts';

// `npm test`: every vitest project in turn, cheap ones first; `npm test -- unit e2e` runs some of them.

const PROJECTS = [
  'unit',
  'process',
  'architecture',
  'int',
  'e2e',
  'e2e-hosted',
  'hostile',
  'agents',
  'faults',
  'faults-hosted',
];
// In `int` each suite says what it needs; the others need all of a hosted stack's servers.
const PROJECTS_ON_STACK = ['e2e-hosted', 'faults-hosted'];
const PROJECTS_ON_SERVERS = ['int', ...PROJECTS_ON_STACK];
const STACK_SERVERS = ['postgres', 'nats', 'minio'];
// These wait for servers and processes most of the time: two files at once, also on two cores.
const waiting: ReadonlySet<string> = new Set(['int', 'e2e', 'e2e-hosted', 'hostile', 'agents']);
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
  const firstOnServers = projects.find((project) => PROJECTS_ON_SERVERS.includes(project));
  let missing: MissingServer[] = [];
  try {
    for (const [index, project] of projects.entries()) {
      if (project === firstOnServers) missing = await prepareServers(projects);
      process.stdout.write(`\n=== ${project} (${index + 1} of ${projects.length}) ===\n`);
      const needed = PROJECTS_ON_STACK.includes(project) ? STACK_SERVERS : [];
      const lacking =
        project === 'agents' ? await prepareAgents() : missing.filter(({ name }) => needed.includes(name));
      const result =
        lacking.length > 0 ? countUnrun(project, lacking) : await runProject(project, join(folder, `${project}.json`));
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

/** Finds or builds the servers, which can take minutes, and says what will not run for want of one. */
async function prepareServers(projects: string[]): Promise<MissingServer[]> {
  process.stdout.write('\n=== servers ===\n');
  const onProgress = (line: string) => process.stdout.write(`${line}\n`);
  const { from, missing } = await findServers({ environment: process.env, onProgress });
  const affected = projects.filter((project) => PROJECTS_ON_SERVERS.includes(project));
  process.stdout.write(`${formatMissingServers({ from, missing, projects: affected, isCi }).join('\n')}\n`);
  return missing;
}

/** Finds the real agents; in CI what is missing is installed. Without any of them the project has nothing to drive. */
async function prepareAgents(): Promise<MissingServer[]> {
  const cacheFolder = cacheFolderOf(process.env);
  const onProgress = (line: string) => process.stdout.write(`${line}\n`);
  const { found, missing } = isCi
    ? await ensureAgents({ cacheFolder, environment: process.env, onProgress })
    : await findAgents({ cacheFolder });
  for (const { name, version } of found) onProgress(`${name} ${version}`);
  for (const { why } of missing) onProgress(`not driven: ${why}`);
  return found.length === 0 || isCi ? missing : [];
}

/** Runs one project; the signal, where one ended it. */
async function runProject(project: string, reportFile: string): Promise<ProjectResult | NodeJS.Signals> {
  const startedAt = performance.now();
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${reportFile}`];
  const workers = waiting.has(project) ? ['--maxWorkers=2'] : [];
  const ended = await runVitest(['run', '--project', project, '--passWithNoTests', ...workers, ...reporters]);
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
