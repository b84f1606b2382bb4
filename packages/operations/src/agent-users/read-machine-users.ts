import { readFileSync } from 'node:fs';
import type { MachineUsers } from './user-range.ts';

/** Reads who has which number here, and what this process may do. */
export function readMachineUsers(): MachineUsers {
  return {
    passwd: readIfThere('/etc/passwd'),
    group: readIfThere('/etc/group'),
    subuid: readIfThere('/etc/subuid'),
    capabilities: /^CapEff:\s*([\da-f]+)$/m.exec(readIfThere('/proc/self/status'))?.[1],
  };
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
