import { randomUUID } from 'node:crypto';
import { constants, mkdirSync, rmSync } from 'node:fs';
import { copyFile, link, open, rm, unlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { WorkerJob } from '../worker-protocol.ts';
import type { MediaSandbox } from './media-pool-options.ts';

/** Two folders by which a worker in a sandbox gets a file and gives one back. */
export type Exchange = {
  inFolder: string;
  outFolder: string;
  /** Puts a job's file there; answers the job as the worker knows it, and what to do when it has ended. */
  lay(job: WorkerJob): Promise<{ job: WorkerJob; take(): Promise<void> }>;
  /** When the worker is gone. */
  remove(): void;
};

/** Makes the folders of one worker. */
export function openExchange({ exchangeFolder, places }: Pick<MediaSandbox, 'exchangeFolder' | 'places'>): Exchange {
  const folder = join(exchangeFolder, randomUUID());
  const [inFolder, outFolder] = [join(folder, 'in'), join(folder, 'out')];
  for (const each of [inFolder, outFolder]) mkdirSync(each, { recursive: true, mode: 0o700 });
  return {
    ...{ inFolder, outFolder },
    async lay(job) {
      const name = basename(job.path);
      const input = join(inFolder, name);
      await linkOrCopy(job.path, input);
      const inside = join(places.inFolder, name);
      if (job.task === 'inspect') return { job: { ...job, path: inside }, take: () => unlink(input) };
      // Not what is in a folder of this name: that would be a worker's doing, which may change it meanwhile.
      const output = join(outFolder, basename(job.outputPath));
      await rm(output, { force: true });
      const isSame = await linkOrCopy(job.outputPath, output);
      return {
        job: { ...job, path: inside, outputPath: join(places.outFolder, basename(output)) },
        async take() {
          await unlink(input);
          if (!isSame) await copyBack(output, job.outputPath);
          await rm(output, { force: true });
        },
      };
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Whether both are one file now: another disk gets a copy. */
async function linkOrCopy(path: string, place: string): Promise<boolean> {
  try {
    await link(path, place);
    return true;
  } catch {
    await copyFile(path, place, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    return false;
  }
}

/** The place is the worker's: a link there is not followed. */
async function copyBack(place: string, path: string): Promise<void> {
  await using file = await open(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  if (!(await file.stat()).isFile()) return;
  await using target = await open(path, 'w');
  await target.writeFile(file.createReadStream({ autoClose: false }));
}
