import { readFileSync } from 'node:fs';

/** For a system that does not say; most give more. */
const UNKNOWN_LIMIT = 1_024;

/** How many descriptors (files, connections, pipes) this process may have open. */
export function readDescriptorLimit(): number {
  try {
    // Node has raised the soft limit to the hard one when it started.
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(soft ?? UNKNOWN_LIMIT);
  } catch {
    // Only Linux has this file.
    return readReported();
  }
}

function readReported(): number {
  const report = process.report.getReport() as { userLimits?: { open_files?: { soft?: number | string } } };
  const soft = Number(report.userLimits?.open_files?.soft);
  return Number.isInteger(soft) ? soft : UNKNOWN_LIMIT;
}
