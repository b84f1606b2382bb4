import { readdirSync, writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

/** The lowest. A worker that begins a file ranks above it, and gets seven parts of eight of a core that it shares with such a one. */
export const LOWERED_PRIORITY = 19;

const retryMs = 100;

/** Lowers the priority of all threads of a process, and of its session. Changes nothing where it is gone or may not be changed. */
export function lowerPriority(pid: number): void {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) setPriority(Number(thread), LOWERED_PRIORITY);
  } catch {
    // Gone already, or of a user whose processes this one may not change.
  }
  lowerSession(pid, 5);
}

/** If the kernel groups processes by session, a thread's priority counts within its session alone. */
function lowerSession(pid: number, attempts: number): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(LOWERED_PRIORITY));
  } catch (error) {
    // Ten times a second is all that the kernel allows a user.
    const isTooSoon = (error as NodeJS.ErrnoException).code === 'EAGAIN';
    if (isTooSoon && attempts > 1) setTimeout(() => lowerSession(pid, attempts - 1), retryMs).unref();
  }
}
