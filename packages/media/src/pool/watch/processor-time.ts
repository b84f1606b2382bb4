import { readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second towards programs, whatever its own clock. */
const tickMs = 10;

/** The processor time of all threads of a process so far, in milliseconds; undefined where it is gone. */
export function readProcessorMs(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name of the program, in brackets, may hold anything. The third field follows it; user and system time are the 14th and 15th.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * tickMs;
  } catch {
    return undefined;
  }
}
