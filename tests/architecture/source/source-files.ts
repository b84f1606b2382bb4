import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const repositoryRoot = fileURLToPath(new URL('../../..', import.meta.url));

const SOURCE_FOLDERS = ['packages', 'services', 'apps', 'infra', 'tests', 'bench', 'scripts', 'examples'];
const SKIPPED_FOLDERS = new Set(['node_modules', '.attache', '.turbo', 'coverage', 'dist']);
const CODE = /\.(ts|tsx|mts|cts|js|jsx|mjs|cjs)$/;
const TEST = /^(tests|bench)\/|\/__fixtures__\/|\.(test|contract|spec)\.tsx?$/;

/** The folders under `root` that hold code, of those the workspace knows. */
export function listSourceFolders(root: string): string[] {
  return SOURCE_FOLDERS.filter((folder) => existsSync(join(root, folder)));
}

/** Every code file under `root`, as sorted paths relative to it. */
export function listCodeFiles(root: string): string[] {
  return listSourceFolders(root)
    .flatMap((folder) => listFilesBelow(root, folder))
    .filter((path) => CODE.test(path))
    .sort();
}

/** The code of packages, services and apps, tests and their fixtures left out. */
export function listShippedFiles(root: string): string[] {
  return listCodeFiles(root).filter((path) => /^(packages|services|apps)\/[^/]+\/src\//.test(path) && !TEST.test(path));
}

function listFilesBelow(root: string, folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return SKIPPED_FOLDERS.has(entry.name) ? [] : listFilesBelow(root, path);
    return entry.isFile() ? [path] : [];
  });
}
