import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from './record/test-record.ts';

export type VitestEnd = { exitCode: number; durationMs: number; record: RunRecord };

const NOTHING: RunRecord = { files: [] };

/** Runs vitest on one project; `repeat` is printed with a failure. */
export async function runVitest(run: {
  root: string;
  project: string;
  files: readonly string[];
  recordFile: string;
  repeat: string;
  environment: Readonly<Record<string, string>>;
}): Promise<VitestEnd> {
  const startedAt = performance.now();
  const vitest = join(run.root, 'node_modules/vitest/vitest.mjs');
  const reporter = `--reporter=${join(run.root, 'tests/runner/reporter.ts')}`;
  // A whole project without tests is a mistake in its patterns.
  const files = run.files.length > 0 ? ['--passWithNoTests', ...run.files] : [];
  const args = [vitest, 'run', '--project', run.project, ...files, reporter];
  const env = {
    ...{ ...process.env, ...run.environment },
    ...{ ATTACHE_TEST_RECORD: run.recordFile, ATTACHE_TEST_REPEAT: run.repeat },
  };
  const exitCode = await new Promise<number>((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd: run.root, env, stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject).once('exit', (code) => resolve(code ?? 1));
  });
  const record: RunRecord = existsSync(run.recordFile) ? JSON.parse(readFileSync(run.recordFile, 'utf8')) : NOTHING;
  return { exitCode, durationMs: performance.now() - startedAt, record };
}
