import { dirname, isAbsolute } from 'node:path';

/** Lists the folders of the bundled programs: each program loads files next to it. */
export function foldersOfPrograms(bundledPrograms: Readonly<Record<string, readonly string[]>>): string[] {
  const scripts = Object.values(bundledPrograms).flatMap((command) => command.slice(1).filter(isAbsolute));
  return [...new Set(scripts.map((script) => dirname(script)))];
}
