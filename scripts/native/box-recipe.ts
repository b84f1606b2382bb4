import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** How the box is built: the compiler, by version and the digests of its wheels, its flags, and its target for each architecture. */
export type BoxRecipe = {
  ziglang: { version: string; wheels: string[] };
  flags: string[];
  targets: Record<string, string>;
};

export const PROGRAM_NAME = 'attache-box';
export const CHECKSUMS_FILE = 'checksums.txt';

const RECIPE_FILE = 'build.json';
const SOURCE_FOLDER = 'src';

/** The folder of the box: sources, recipe, programs and their checksums. */
export const boxFolder = fileURLToPath(new URL('../../packages/agent-process/native/', import.meta.url));

export async function readBoxRecipe(): Promise<BoxRecipe> {
  return JSON.parse(await readFile(join(boxFolder, RECIPE_FILE), 'utf8'));
}

/** The files that are compiled, relative to the folder of the box. */
export async function listCompiledFiles(): Promise<string[]> {
  return (await listSources()).filter((path) => path.endsWith('.c'));
}

/** The checksums file for the programs in `outFolder`: the files that they are built from, then the programs, in the format of sha256sum. */
export async function composeChecksums(outFolder: string): Promise<string> {
  const { targets } = await readBoxRecipe();
  const inputs = [RECIPE_FILE, ...(await listSources())].map((path) => hashFile(boxFolder, path));
  const programs = Object.keys(targets).map((arch) => hashFile(outFolder, `${arch}/${PROGRAM_NAME}`));
  return (await Promise.all([...inputs, ...programs])).join('');
}

async function listSources(): Promise<string[]> {
  const names = await readdir(join(boxFolder, SOURCE_FOLDER));
  return names.sort().map((name) => `${SOURCE_FOLDER}/${name}`);
}

async function hashFile(folder: string, path: string): Promise<string> {
  const digest = createHash('sha256').update(await readFile(join(folder, path)));
  return `${digest.digest('hex')}  ${path}\n`;
}
