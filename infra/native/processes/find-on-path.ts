import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The path of the first program of this name on the search path; undefined if there is none. */
export async function findOnPath(name: string, searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(delimiter).filter(Boolean)) {
    const program = join(folder, name);
    const isProgram = await access(program, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isProgram) return program;
  }
  return undefined;
}
