import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Absolute path of an executable file: `program` itself if it is absolute, otherwise its first match in `searchPath`. Undefined if there is none; a relative
 * path is never followed.
 */
export async function resolveProgram(program: string, searchPath: string): Promise<string | undefined> {
  if (path.isAbsolute(program)) return (await isExecutable(program)) ? program : undefined;
  if (program === '' || program.includes('/')) return undefined;
  for (const folder of searchPath.split(path.delimiter).filter(path.isAbsolute)) {
    const candidate = path.join(folder, program);
    if (await isExecutable(candidate)) return candidate;
  }
  return undefined;
}

/** Why a program is not found, and what to do about it. */
export async function describeMissing(program: string, searchPath: string): Promise<string> {
  const isPath = path.isAbsolute(program);
  if (!isPath && program.includes('/'))
    return `The program ${program} is named by a relative path. Name it by its absolute path, or by its name on PATH.`;
  const folders = searchPath.split(path.delimiter).filter(path.isAbsolute);
  const candidates = isPath ? [program] : folders.map((folder) => path.join(folder, program));
  for (const candidate of candidates) {
    const found = await stat(candidate).catch(() => undefined);
    if (found?.isFile()) return `The program ${candidate} is not executable. Make it so with chmod +x, then retry.`;
    if (isPath && found !== undefined)
      return `The program ${program} is a folder. Name the file in it that is to run, then retry.`;
  }
  return isPath
    ? `There is no program ${program}. Install it there, or correct the command of its profile, then retry.`
    : `There is no program ${program} on PATH. Install it, or name its absolute path in its profile, then retry.`;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
