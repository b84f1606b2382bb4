import { closeSync, openSync, readSync } from 'node:fs';

/** Figures that Linux reports about a process, read as often as wanted; every figure is 0 once the process is gone. */
export type ProcessFigures = {
  residentBytes(): number;
  /** The most resident memory that it has ever held: looks at what it holds miss what comes and goes between them. */
  peakBytes(): number;
  /** Processor time of all threads so far. */
  processorMs(): number;
  close(): void;
};

export const figuresOfNone: ProcessFigures = {
  residentBytes: () => 0,
  peakBytes: () => 0,
  processorMs: () => 0,
  close: () => {},
};

/** Linux counts in hundredths of a second towards programs, whatever its own clock. */
const tickMs = 10;

/**
 * Opens the figures of a process; undefined where that is gone already. They stay open, since one read takes about a fifth of opening, reading and
 * closing. `status` of /proc, not `statm`: kB whatever the size of a page.
 */
export function openProcessFigures(pid: number): ProcessFigures | undefined {
  const [status, stat] = [openProcessFile(pid, 'status'), openProcessFile(pid, 'stat')];
  const close = () => {
    status?.close();
    stat?.close();
  };
  if (status === undefined || stat === undefined) return void close();
  return {
    residentBytes: () => readBytes(status.read(), 'VmRSS'),
    peakBytes: () => readBytes(status.read(), 'VmHWM'),
    processorMs: () => readProcessorMs(stat.read()),
    close,
  };
}

const readBytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s*(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024;

function readProcessorMs(text: string): number {
  // The name of the program, in brackets, may hold anything. The third field follows it; user and system time are the 14th and 15th.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * tickMs;
}

type ProcessFile = {
  /** Empty where the process is gone, and once it is closed. */
  read(): string;
  close(): void;
};

function openProcessFile(pid: number, name: string): ProcessFile | undefined {
  let file: number | undefined;
  try {
    file = openSync(`/proc/${pid}/${name}`, 'r');
  } catch {
    return undefined; // already gone: its exit is on the way
  }
  const text = Buffer.alloc(4096);
  return {
    read() {
      try {
        return file === undefined ? '' : text.toString('latin1', 0, readSync(file, text, 0, text.length, 0));
      } catch {
        return '';
      }
    },
    close() {
      if (file !== undefined) closeSync(file);
      file = undefined;
    },
  };
}
