import { readdirSync, readFileSync } from 'node:fs';

/** Processes whose command line names this program, watchdogs too. */
export function countProcesses(program: string): number {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && readCommandLine(name).includes(program)).length;
}

/** Whether a process runs; one that ended and was not yet collected has no command line. */
export function isRunning(pid: string): boolean {
  return readCommandLine(pid) !== '';
}

function readCommandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
}
