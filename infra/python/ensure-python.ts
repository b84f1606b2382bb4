import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { withLockFile } from '../native/build/build-lock.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `bin` is the folder of its programs. */
export type FoundPython = { bin: string } | { why: string };

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const INSTALL_WITHIN_MS = 300_000;
const run = promisify(execFile);

/**
 * An environment of Python with the generator of clients and what its clients need, which is made in the cache folder where it is missing. `environment` is what
 * pip is run with. Returns why there is none if this machine has no Python or no package index.
 */
export async function ensurePython(options: {
  cacheFolder: string;
  environment: Environment;
  onProgress(line: string): void;
}): Promise<FoundPython> {
  const { cacheFolder, environment, onProgress } = options;
  const folder = join(cacheFolder, `python-${await readVersion()}`);
  const found = { bin: join(folder, 'bin') };
  if (await isWhole(folder)) return found;
  await mkdir(cacheFolder, { recursive: true });
  return withLockFile({
    lockFile: `${folder}.lock`,
    onWait: (holder) => onProgress(`waiting for process ${holder}, which installs the Python generator …`),
    async task() {
      if (await isWhole(folder)) return found;
      onProgress('Installing the Python generator of clients …');
      try {
        await install(folder, environment);
        return found;
      } catch (error) {
        return { why: describe(error) };
      }
    },
  });
}

/** Changes with what is installed. */
const readVersion = async (): Promise<string> =>
  createHash('sha256')
    .update(await readFile(REQUIREMENTS))
    .digest('hex')
    .slice(0, 12);

const MARK = 'whole';

const isWhole = (folder: string): Promise<boolean> =>
  access(join(folder, MARK), constants.F_OK).then(
    () => true,
    () => false,
  );

// Programs of such an environment hold its path: it is made where it stays, and marked when it is whole.
async function install(folder: string, environment: Environment): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  const options = { env: environment as NodeJS.ProcessEnv, timeout: INSTALL_WITHIN_MS };
  await run('python3', ['-m', 'venv', folder], options);
  const pip = ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS];
  await run(join(folder, 'bin', 'python3'), pip, options);
  await writeFile(join(folder, MARK), '');
}

function describe(error: unknown): string {
  const { code, stderr, message } = error as { code?: unknown; stderr?: string; message: string };
  if (code === 'ENOENT') return 'python3 is not on PATH.';
  const said = (stderr || message).trim().split('\n').at(-1);
  return `The Python generator could not be installed: ${said}`;
}
