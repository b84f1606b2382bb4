import { lstat } from 'node:fs/promises';
import path from 'node:path';

/** Throws where a link lies on the way from `folder` to one of the places in it: what is written there would go elsewhere. */
export async function refuseLinks(folder: string, places: readonly string[]): Promise<void> {
  for (const place of places) {
    let step = folder;
    for (const name of path.relative(folder, place).split('/')) {
      step = path.join(step, name);
      const found = await lstat(step).catch(() => undefined);
      if (found === undefined) break;
      if (found.isSymbolicLink()) throw new Error(`${step} is a link, which a program has put there`);
      if (found.isFile() && found.nlink > 1) throw new Error(`${step} has another name, which a program has given it`);
    }
  }
}
