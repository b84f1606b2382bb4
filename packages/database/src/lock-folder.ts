import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@attache/contracts';

/** Who holds a folder. A pid alone may be another process by now: its start time and the boot tell. */
type Holder = { pid: number; startTime: string; bootId: string };

async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold blanks and brackets; the fields after its last bracket are numbered from 3, start time is 22.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {
    return undefined;
  }
}

async function describeSelf(): Promise<Holder> {
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  return { pid: process.pid, startTime: (await readStartTime(process.pid)) ?? '', bootId };
}

async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
}

async function isAlive(holder: Holder | undefined, bootId: string): Promise<boolean> {
  if (!holder || holder.bootId !== bootId) return false;
  const startTime = await readStartTime(holder.pid);
  return startTime !== undefined && startTime === holder.startTime;
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

// Two processes may find the same dead holder: what was moved away is looked at again, and a living holder's file is put back.
async function removeStale(path: string, bootId: string): Promise<void> {
  const aside = `${path}.stale-${randomUUID()}`;
  try {
    await rename(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  if (await isAlive(await readHolder(aside), bootId)) await tryLink(aside, path);
  await unlink(aside);
}

export type FolderLock = { release(): Promise<void> };

/**
 * Takes the folder for this process. Refused with `DATA_FOLDER_LOCKED` while another living process holds it; the lock of a
 * killed one is taken over.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const self = await describeSelf();
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  try {
    for (let attempt = 0; attempt < 5; attempt += 1) {
      if (await tryLink(draft, path)) return { release: () => unlink(path).catch(() => {}) };
      const holder = await readHolder(path);
      if (await isAlive(holder, self.bootId)) throw lockedFault(folder, holder);
      await removeStale(path, self.bootId);
    }
    throw lockedFault(folder, await readHolder(path));
  } finally {
    await unlink(draft).catch(() => {});
  }
}

function lockedFault(folder: string, holder: Holder | undefined): Fault {
  return new Fault(
    'DATA_FOLDER_LOCKED',
    `The data folder ${folder} is used by the running process ${holder?.pid ?? 'unknown'}. Stop it, or set ATTACHE_DATA_DIR to another folder.`,
  );
}
