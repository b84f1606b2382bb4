import { execFile } from 'node:child_process';
import { constants, existsSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { withLockFile } from './build-lock.ts';
import { buildServer } from './build-server.ts';
import {
  type Environment,
  type FoundProgram,
  isNatsVersionAllowed,
  readServerSource,
  type ServerName,
} from './server-source.ts';

const run = promisify(execFile);

const OLDEST_GO = [1, 26] as const;
const VERSION_TIMEOUT_MS = 10_000;

/** The folder of built servers: `$XDG_CACHE_HOME/attache`, else `$HOME/.cache/attache`. */
export function cacheFolderOf({ XDG_CACHE_HOME, HOME }: Environment): string {
  return join(XDG_CACHE_HOME || join(HOME || '/tmp', '.cache'), 'attache');
}

/**
 * Finds a server: a fitting one on the search path, else the one built earlier into the cache folder, else builds it with Go, under a lock.
 * `environment` is what Go is run with. `onProgress` gets lines to show while it builds.
 */
export async function ensureServerProgram(options: {
  name: ServerName;
  environment: Environment;
  searchPath?: string;
  cacheFolder?: string;
  onProgress?(line: string): void;
}): Promise<FoundProgram> {
  const { name, environment } = options;
  const searchPath = options.searchPath ?? environment.PATH ?? '';
  const cacheFolder = options.cacheFolder ?? cacheFolderOf(environment);
  const onProgress = options.onProgress ?? (() => {});
  const found = await findOnPath(name, searchPath);
  if (found !== undefined) return { program: found };
  const source = await readServerSource(name);
  const folder = join(cacheFolder, `${name}-${source.version}`);
  const program = join(folder, name);
  if (existsSync(program)) return { program };
  const missingGo = await explainMissingGo(searchPath, environment);
  if (missingGo !== undefined)
    return { missing: `${name} is not on PATH nor in ${cacheFolder}, and cannot be built: ${missingGo}` };
  await mkdir(folder, { recursive: true });
  return withLockFile({
    lockFile: join(cacheFolder, `${name}-${source.version}.lock`),
    onWait: (holder) => onProgress(`waiting for process ${holder}, which builds ${name} …`),
    async task() {
      if (existsSync(program)) return { program };
      return buildServer({ name, source, program, environment: { ...environment, PATH: searchPath }, onProgress });
    },
  });
}

async function findOnPath(name: ServerName, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const program = join(folder, name);
    const isProgram = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram && (await isFitting(name, program))) return program;
  }
  return undefined;
}

async function isFitting(name: ServerName, program: string): Promise<boolean> {
  if (name !== 'nats-server' && name !== 'mc') return true;
  const version = await run(program, ['--version'], { timeout: VERSION_TIMEOUT_MS }).catch(() => undefined);
  // Midnight Commander has the same name.
  if (name === 'mc') return /^mc version /.test(version?.stdout ?? '');
  return version !== undefined && isNatsVersionAllowed(version.stdout);
}

async function explainMissingGo(searchPath: string, environment: Environment): Promise<string | undefined> {
  const wanted = `Go ${OLDEST_GO.join('.')} or newer`;
  const env = { ...environment, PATH: searchPath, GOTOOLCHAIN: 'local' };
  const version = await run('go', ['env', 'GOVERSION'], { env, timeout: VERSION_TIMEOUT_MS }).catch(() => undefined);
  if (version === undefined) return `${wanted} is not on PATH. Install it, or the server.`;
  const [major = 0, minor = 0] = (/go(\d+)\.(\d+)/.exec(version.stdout) ?? []).slice(1).map(Number);
  const isNewEnough = major > OLDEST_GO[0] || (major === OLDEST_GO[0] && minor >= OLDEST_GO[1]);
  return isNewEnough ? undefined : `PATH has ${version.stdout.trim()}, but ${wanted} is needed.`;
}
