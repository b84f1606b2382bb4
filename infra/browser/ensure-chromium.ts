import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findOnPath } from '../native/processes/find-on-path.ts';
import { writeFontsFile } from './write-fonts-file.ts';

/** `environment` is what the program needs besides that of its parent. */
export type FoundChromium = { program: string; environment: Record<string, string> } | { why: string };

const run = promisify(execFile);
const NAMES = ['chromium', 'google-chrome'];
const START_WITHIN_MS = 60_000;
const UNPACK_WITHIN_MS = 300_000;
const UNPACK = fileURLToPath(new URL('unpack-chromium.ts', import.meta.url));

/**
 * A Chromium that starts: one on the search path, else the one of the packages, which is unpacked into the cache folder once, with the libraries
 * that it needs. Both see the same fonts, among them Arabic and Chinese ones. Returns why there is none if neither starts.
 */
export async function ensureChromium(options: {
  cacheFolder: string;
  searchPath: string;
  onProgress(line: string): void;
}): Promise<FoundChromium> {
  const { cacheFolder, searchPath, onProgress } = options;
  await mkdir(cacheFolder, { recursive: true });
  const fonts = { FONTCONFIG_FILE: await writeFontsFile(cacheFolder) };
  for (const name of NAMES) {
    const program = await findOnPath(name, searchPath);
    if (program !== undefined && (await explainNoStart(program, {})) === undefined)
      return { program, environment: fonts };
  }
  try {
    const folder = await unpack(cacheFolder, onProgress);
    const program = join(folder, 'chromium');
    const environment = { ...fonts, LD_LIBRARY_PATH: join(folder, 'al2023/lib') };
    const why = await explainNoStart(program, environment);
    return why === undefined ? { program, environment } : { why: `Chromium does not start: ${why}` };
  } catch (error) {
    return { why: `Chromium could not be unpacked: ${error instanceof Error ? error.message : String(error)}` };
  }
}

async function explainNoStart(program: string, environment: Record<string, string>): Promise<string | undefined> {
  const options = { timeout: START_WITHIN_MS, env: { ...process.env, ...environment } };
  return run(program, ['--version'], options).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

async function unpack(cacheFolder: string, onProgress: (line: string) => void): Promise<string> {
  const folder = join(cacheFolder, `chromium-${await readVersion()}`);
  if (existsSync(folder)) return folder;
  onProgress('Unpacking Chromium …');
  const draft = await mkdtemp(`${folder}.`);
  await run(process.execPath, [UNPACK], { timeout: UNPACK_WITHIN_MS, env: { ...process.env, TMPDIR: draft } });
  await rename(draft, folder).catch(async (error: NodeJS.ErrnoException) => {
    // Another process was first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(draft, { recursive: true, force: true });
  });
  return folder;
}

async function readVersion(): Promise<string> {
  const manifest = new URL('../package.json', import.meta.resolve('@sparticuz/chromium'));
  return JSON.parse(await readFile(manifest, 'utf8')).version;
}
