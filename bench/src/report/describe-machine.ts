import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';

export type Machine = {
  processor: string;
  processors: number;
  memoryGb: number;
  kernel: string;
  system: string;
  node: string;
  /** Load average of the last minute before the run. */
  load: number;
};

function readSystemName(): string {
  try {
    return /^PRETTY_NAME="?([^"\n]*)/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}

export function describeMachine(): Machine {
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    processors: availableParallelism(),
    memoryGb: Math.round(totalmem() / 1024 ** 3),
    kernel: release(),
    system: readSystemName(),
    node: process.version,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

/** One sentence for the table's reader. */
export function formatMachine(machine: Machine): string {
  const { processor, processors, memoryGb, kernel, system, node, load } = machine;
  return `${processors} × ${processor}, ${memoryGb} GB, Linux ${kernel} (${system}), Node ${node}, load ${load.toFixed(1)} before the run`;
}
