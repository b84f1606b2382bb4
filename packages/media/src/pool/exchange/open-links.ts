import { constants, linkSync, mkdirSync, unlinkSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { copyBack, limitOf } from './copy-back.ts';
import type { ExchangeFolders, Layer } from './media-sandbox.ts';
import { removeName } from './remove-name.ts';

/** For a worker of its parent's user: a file gets a second name in the worker's folder, and is copied from another disk. */
export function openLinks(folders: ExchangeFolders, places: ExchangeFolders): Layer {
  const { inFolder, outFolder } = folders;
  for (const each of [inFolder, outFolder]) mkdirSync(each, { recursive: true, mode: 0o700 });
  return async (job) => {
    const name = basename(job.path);
    const input = join(inFolder, name);
    await linkOrCopy(job.path, input);
    const inside = join(places.inFolder, name);
    if (job.task === 'inspect') return { job: { ...job, path: inside }, take: async () => unlinkSync(input) };
    // Not what is in a folder of this name: that would be a worker's doing, which may change it meanwhile.
    const output = join(outFolder, basename(job.outputPath));
    removeName(output);
    const isSame = await linkOrCopy(job.outputPath, output);
    return {
      job: { ...job, path: inside, outputPath: join(places.outFolder, basename(output)) },
      async take() {
        unlinkSync(input);
        if (!isSame) await copyBack(output, job.outputPath, limitOf(job.recipe));
        removeName(output);
      },
    };
  };
}

/** Whether both are one file now. A name is made at once: threads take longer to be asked for it than the system to do it. */
async function linkOrCopy(path: string, place: string): Promise<boolean> {
  try {
    linkSync(path, place);
    return true;
  } catch {
    await copyFile(path, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return false;
  }
}
