import { readdirSync, readFileSync } from 'node:fs';

/** The processes of this machine that run as a user, those that have ended left out. */
export function listProcesses(uid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const status = readStatus(pid);
      return new RegExp(`^Uid:\\s*${uid}\\s`, 'm').test(status) && !/^State:\s*Z/m.test(status);
    });
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
}
