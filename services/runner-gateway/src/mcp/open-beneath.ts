import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Fault } from '@attache/contracts';

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK } = constants;

/**
 * Opens a file beneath a folder for reading. Each step is taken from the folder that the one before opened, and none follows a
 * link, so that nothing which is swapped meanwhile leads outside (S19). `INVALID_REQUEST` for all that is no plain file there.
 */
export async function openBeneath(folder: string, path: string): Promise<FileHandle> {
  const names = path.split('/');
  if (names.some((name) => name === '' || name === '.' || name === '..' || name.includes('\0'))) throw notBeneath();
  let place = await open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  for (const [index, name] of names.entries()) {
    const isLast = index === names.length - 1;
    // A pipe would wait for its other end.
    const flags = O_RDONLY | O_NOFOLLOW | (isLast ? O_NONBLOCK : O_DIRECTORY);
    const above = place;
    try {
      place = await open(`/proc/self/fd/${above.fd}/${name}`, flags);
    } catch (cause) {
      throw notBeneath(cause);
    } finally {
      await above.close();
    }
  }
  const found = await place.stat();
  // Another name of a file may lie in any folder of the disk.
  if (found.isFile() && found.nlink === 1) return place;
  await place.close();
  throw notBeneath();
}

function notBeneath(cause?: unknown): Fault {
  return new Fault(
    'INVALID_REQUEST',
    'There is no such file in the working folder. Give a relative path without links, to a file that has one name.',
    {
      cause,
    },
  );
}
