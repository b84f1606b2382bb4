import { randomUUID } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { readStartTime } from '../processes/process-table.ts';

const RETRY_INTERVAL_MS = 250;

/**
 * Runs a task while holding a lock file, so that one process at a time does it. A lock whose process is dead is taken over. `onWait` learns
 * once, if another process holds it.
 */
export async function withLockFile<T>(options: {
  lockFile: string;
  onWait(holder: number): void;
  task(): Promise<T>;
}): Promise<T> {
  const { lockFile } = options;
  const own = `${process.pid} ${await readStartTime(process.pid)}`;
  let hasWaited = false;
  while (!(await takeLock(lockFile, own))) {
    const holder = await readFile(lockFile, 'utf8').catch(() => undefined);
    if (holder === undefined) continue;
    if (!(await isHeld(holder))) {
      await removeStaleLock(lockFile, holder);
      continue;
    }
    if (!hasWaited) options.onWait(Number.parseInt(holder, 10));
    hasWaited = true;
    await wait(RETRY_INTERVAL_MS);
  }
  try {
    return await options.task();
  } finally {
    await rm(lockFile, { force: true });
  }
}

// Written next to it and then linked: a lock is never seen without its holder.
async function takeLock(lockFile: string, own: string): Promise<boolean> {
  const draft = `${lockFile}.${randomUUID()}`;
  await writeFile(draft, own);
  try {
    await link(draft, lockFile);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(draft);
  }
}

// Process ids come round again: the start time distinguishes the holder from a later process with its number.
async function isHeld(holder: string): Promise<boolean> {
  const [pid = '', startTime] = holder.split(' ');
  return (await readStartTime(Number(pid))) === startTime;
}

// Two processes may see the same stale lock: only what was judged stale goes, a fresh lock is put back.
async function removeStaleLock(lockFile: string, stale: string): Promise<void> {
  const aside = `${lockFile}.${randomUUID()}`;
  try {
    await rename(lockFile, aside);
  } catch {
    return;
  }
  if ((await readFile(aside, 'utf8')) !== stale) await link(aside, lockFile).catch(() => {});
  await rm(aside);
}
