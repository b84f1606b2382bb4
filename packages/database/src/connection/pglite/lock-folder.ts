import { createHash, randomUUID } from 'node:crypto';
import { link, mkdir, readFile, readlink, rename, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Fault } from '@attache/contracts';

/** The process that holds a folder. Its pid alone may belong to another process by now: its start time and the boot identify it. */
type Holder = { pid: number; startTime: string; bootId: string; pidNamespace?: string };

/** A lock file as it was read. Its text is unlike that of any other lock, so it names this one. */
type FoundLock = { text: string; holder: Holder | undefined };

async function readStartTime(pid: number): Promise<string | undefined> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    // The command name may hold blanks and brackets; the fields after its last bracket are numbered from 3, start time is 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie holds nothing any more, but is there until its parent looks.
    return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

async function describeSelf(): Promise<Holder> {
  const bootId = (await readFile('/proc/sys/kernel/random/boot_id', 'utf8')).trim();
  const pidNamespace = await readlink('/proc/self/ns/pid');
  return { pid: process.pid, startTime: (await readStartTime(process.pid)) ?? '', bootId, pidNamespace };
}

async function readLock(path: string): Promise<FoundLock | undefined> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return { text, holder: JSON.parse(text) as Holder };
  } catch {
    return { text, holder: undefined };
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

const successorOf = (path: string, { text }: FoundLock) =>
  `${path}.after-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;

type TakeOver = { folder: string; path: string; draft: string; bootId: string };

/**
 * Replaces a dead holder's lock. Of all who find the same dead lock, the one that links its successor's name may; a successor
 * that died before it did has a successor itself. False: the lock changed meanwhile.
 */
async function takeOver({ folder, path, draft, bootId }: TakeOver, dead: FoundLock): Promise<boolean> {
  const passed: string[] = [];
  let name = successorOf(path, dead);
  while (!(await tryLink(draft, name))) {
    const next = await readLock(name);
    if (!next) return false;
    if (await isAlive(next.holder, bootId)) throw lockedFault(folder, next.holder);
    passed.push(name);
    name = successorOf(path, next);
  }
  if ((await readLock(path))?.text !== dead.text) {
    await unlink(name);
    return false;
  }
  await rename(name, path);
  for (const obsolete of passed) await unlink(obsolete);
  return true;
}

/** `isFormerDead`: the former holder of the folder is known to have ended, and not only to be out of sight. */
export type FolderLock = { isFormerDead: boolean; release(): Promise<void> };

/**
 * Takes the folder for this process. Refused with `DATA_FOLDER_LOCKED` while another living process holds it; the lock of a
 * killed one is taken over.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'lock');
  const self = await describeSelf();
  const draft = `${path}.${randomUUID()}`;
  await writeFile(draft, JSON.stringify({ ...self, id: randomUUID() }), { mode: 0o600, flag: 'wx' });
  const lock = (isFormerDead: boolean) => ({ isFormerDead, release: () => unlink(path).catch(() => {}) });
  const isInSight = (holder: Holder | undefined) =>
    holder?.bootId === self.bootId && holder.pidNamespace === self.pidNamespace;
  try {
    for (let attempt = 0; attempt < 10; attempt += 1) {
      if (await tryLink(draft, path)) return lock(true);
      const found = await readLock(path);
      if (!found) continue;
      if (await isAlive(found.holder, self.bootId)) throw lockedFault(folder, found.holder);
      if (await takeOver({ folder, path, draft, bootId: self.bootId }, found)) return lock(isInSight(found.holder));
    }
    throw lockedFault(folder, (await readLock(path))?.holder);
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
