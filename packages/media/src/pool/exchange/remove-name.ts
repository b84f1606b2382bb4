import { unlinkSync } from 'node:fs';

/** Removes the file or the link of this name, if there is one. What a link leads to stays. Throws for a folder. */
export function removeName(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
