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

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}
