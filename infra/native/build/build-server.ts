import { rename, rm } from 'node:fs/promises';
import { spawnGuarded } from '../processes/spawn-guarded.ts';
import {
  buildMinutes,
  type Environment,
  type FoundProgram,
  type ServerName,
  type ServerSource,
} from './server-source.ts';

const PROGRESS_INTERVAL_MS = 15_000;

/** Builds a server with Go: into a draft next to its place, then renamed, so that a half-written program is never found. */
export async function buildServer(options: {
  name: ServerName;
  source: ServerSource;
  /** The path of the built program; its folder exists. */
  program: string;
  environment: Environment;
  onProgress(line: string): void;
}): Promise<FoundProgram> {
  const { name, source, program, onProgress } = options;
  const draft = `${program}.draft`;
  const startedAt = performance.now();
  const elapsed = () => `${Math.round((performance.now() - startedAt) / 1000)} s`;
  onProgress(`building ${name} ${source.version} (${buildMinutes[name]} on two cores) …`);
  const timer = setInterval(() => onProgress(`building ${name} … ${elapsed()}`), PROGRESS_INTERVAL_MS);
  try {
    const failure = await runGoBuild({ ...options, draft });
    if (failure !== undefined)
      return { missing: `${name} is not on PATH, and building it failed after ${elapsed()}:\n${failure}` };
    await rename(draft, program);
    onProgress(`built ${name} in ${elapsed()}`);
    return { program };
  } finally {
    clearInterval(timer);
    await rm(draft, { force: true });
  }
}

/** The last lines of a build that failed; undefined if it did not. */
async function runGoBuild(options: {
  source: ServerSource;
  draft: string;
  environment: Environment;
}): Promise<string | undefined> {
  const { source, draft, environment } = options;
  const build = spawnGuarded({
    program: 'go',
    args: ['build', '-trimpath', '-ldflags=-s -w', '-o', draft, source.goPackage],
    folder: source.moduleFolder,
    environment: { ...environment, GOTOOLCHAIN: 'local', GOFLAGS: '-mod=readonly', GOWORK: 'off', CGO_ENABLED: '0' },
    lastSignal: 'SIGTERM',
  });
  const end = await build.closed;
  return end.code === 0
    ? undefined
    : [...build.lastLines, `go build ended with ${end.signal ?? `exit code ${end.code}`}`].join('\n');
}
