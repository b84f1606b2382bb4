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

/** The processes that this one has started and that have not ended. */
export function findChildren(): number[] {
  const lists = readdirSync('/proc/self/task').map((id) => readFileSync(`/proc/self/task/${id}/children`, 'latin1'));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** The nice values of a process's threads. */
export function readNiceValues(pid: number): Set<number> {
  const read = (thread: string) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'latin1');
  // The 19th field; the second, in brackets, may hold anything.
  return new Set(
    readdirSync(`/proc/${pid}/task`).map((thread) => Number(read(thread).split(') ').at(-1)?.split(' ')[16])),
  );
}

/** The nice value of its session; undefined if the kernel does not group processes by session. */
export function readSessionNice(pid: number): number | undefined {
  try {
    return Number(/nice (-?\d+)/.exec(readFileSync(`/proc/${pid}/autogroup`, 'latin1'))?.[1]);
  } catch {
    return undefined;
  }
}
