import { readFile, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { resolveProgram } from '@attache/agent-process';

/**
 * The version under which npm installed what a command runs, for programs that do not say theirs: of its script, if it names one behind an
 * interpreter. Undefined if it is in no package of a `node_modules`.
 */
export async function findInstalledVersion(
  [program = '', ...words]: readonly string[],
  searchPath: string,
): Promise<string | undefined> {
  const script = words.find((word) => isAbsolute(word));
  const file = script ?? (await resolveProgram(program, searchPath));
  const real = file === undefined ? undefined : await realpath(file).catch(() => undefined);
  const folder = real === undefined ? undefined : findPackageFolder(real);
  return folder === undefined ? undefined : readVersion(folder);
}

/** The package that a file is in: the folder right below the innermost `node_modules`, or below a scope of it. */
function findPackageFolder(file: string): string | undefined {
  const folders = [file];
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) folders.push(folder);
  return folders.find((folder) => /\/node_modules\/(?:@[^/]+\/)?[^/@][^/]*$/.test(folder));
}

async function readVersion(folder: string): Promise<string | undefined> {
  try {
    const { version } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
    return typeof version === 'string' ? version : undefined;
  } catch {
    return undefined;
  }
}
