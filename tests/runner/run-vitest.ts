import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from './record/test-record.ts';

export type VitestEnd = { exitCode: number; durationMs: number; record: RunRecord } | { signal: NodeJS.Signals };

const NOTHING: RunRecord = { files: [] };

/** Runs vitest on one project; `repeat` is printed with a failure. Ends early where it, or this program, gets a signal. */
export async function runVitest(run: {
  root: string;
  project: string;
  files: readonly string[];
  recordFile: string;
  repeat: string;
  environment: Readonly<Record<string, string>>;
}): Promise<VitestEnd> {
  const startedAt = performance.now();
  const args = ['run', '--project', run.project, '--passWithNoTests', ...run.files];
  const reporter = `--reporter=${join(run.root, 'tests/runner/reporter.ts')}`;
  const environment = { ...run.environment, ATTACHE_TEST_RECORD: run.recordFile, ATTACHE_TEST_REPEAT: run.repeat };
  const ended = await spawnVitest(run.root, [...args, reporter], environment);
  if (typeof ended === 'string') return { signal: ended };
  const record: RunRecord = existsSync(run.recordFile) ? JSON.parse(readFileSync(run.recordFile, 'utf8')) : NOTHING;
  return { exitCode: ended, durationMs: performance.now() - startedAt, record };
}

/** The exit code of vitest, or the signal that it or this program got. */
function spawnVitest(
  root: string,
  args: string[],
  environment: Readonly<Record<string, string>>,
): Promise<number | NodeJS.Signals> {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, [vitest, ...args], { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] });
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
