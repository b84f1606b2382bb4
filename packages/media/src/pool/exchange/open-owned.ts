import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  fchownSync,
  lchownSync,
  mkdirSync,
  openSync,
  statSync,
  unlinkSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { copyBack, limitOf } from './copy-back.ts';
import type { ExchangeFolders, Layer, WorkerUser } from './media-sandbox.ts';
import { removeName } from './remove-name.ts';

const SMALL_BYTES = 256 * 1024;

/**
 * For a worker with a user of its own, which can read nothing of its parent's: a file is copied for it, without copying its bytes where the
 * disk can share them. What it makes is copied back, so that it holds nothing that others read later.
 */
export function openOwned(
  folder: string,
  { inFolder, outFolder }: ExchangeFolders,
  places: ExchangeFolders,
  user: WorkerUser,
): Layer {
  makeFolder(folder, 0o710, { uid: process.getuid?.() ?? 0, gid: user.gid });
  makeFolder(inFolder, 0o710, { uid: process.getuid?.() ?? 0, gid: user.gid });
  makeFolder(outFolder, 0o700, user);
  return async (job) => {
    const name = basename(job.path);
    const input = join(inFolder, name);
    await copyFor(job.path, input, user);
    const inside = join(places.inFolder, name);
    if (job.task === 'inspect') return { job: { ...job, path: inside }, take: async () => unlinkSync(input) };
    const output = join(outFolder, basename(job.outputPath));
    makeEmpty(output, user);
    return {
      job: { ...job, path: inside, outputPath: join(places.outFolder, basename(output)) },
      async take() {
        unlinkSync(input);
        await copyBack(output, job.outputPath, limitOf(job.recipe));
        removeName(output);
      },
    };
  };
}

function makeFolder(folder: string, mode: number, { uid, gid }: WorkerUser): void {
  mkdirSync(folder, { mode: 0o700 });
  chownSync(folder, uid, gid);
  chmodSync(folder, mode);
}

/** The folder is the parent's alone: nothing there is a link. */
async function copyFor(path: string, place: string, { uid, gid }: WorkerUser): Promise<void> {
  const flags = constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE;
  // Threads take longer to be asked than the system to copy so little.
  if (statSync(path).size <= SMALL_BYTES) copyFileSync(path, place, flags);
  else await copyFile(path, place, flags);
  chmodSync(place, 0o400);
  lchownSync(place, uid, gid);
}

/** The folder is the worker's: an entry of this name is the worker's doing, and is not followed. */
function makeEmpty(place: string, { uid, gid }: WorkerUser): void {
  removeName(place);
  const file = openSync(place, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
  try {
    fchownSync(file, uid, gid);
  } finally {
    closeSync(file);
  }
}
