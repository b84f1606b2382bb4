import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

// `npm run check`: everything that judges the repository without running the product. All of it runs, whatever fails first.

const TASKS = ['check:format', 'check:lint', 'check:typecheck', 'check:boundaries', 'check:doclinks'];
const root = fileURLToPath(new URL('..', import.meta.url));

process.exitCode = await runTasks(process.argv.slice(2));

/** Runs the named tasks (`lint`, `typecheck`, …), or all. */
function runTasks(names: string[]): Promise<number> {
  const tasks = names.length > 0 ? names.map((name) => `check:${name}`) : TASKS;
  const child = spawn('turbo', ['run', ...tasks, '--ui=stream', '--continue=always', '--concurrency=2'], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1' },
  });
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(signal === null ? (code ?? 1) : 128 + constants.signals[signal]));
  });
}
